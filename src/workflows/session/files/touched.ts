import type { SessionTask } from './tasks-file.ts';

export interface Touched {
  /** Something that runs, or decides what runs, has changed: QA has something to look at. */
  readonly behaviour: boolean;
  /** Authentication, input or the network may be concerned: Security has something to look at. */
  readonly risky: boolean;
  readonly reasons: readonly string[];
}

/** Judged by the paths that have really changed; a change of documentation alone is neither, whatever the plan said. */
export function touches(paths: readonly string[], task: Pick<SessionTask, 'risk_flags' | 'type'>): Touched {
  const sources = paths.filter((path) => !isDocumentation(path));
  const [first] = sources;
  if (first === undefined) return { behaviour: false, risky: false, reasons: [] };
  const more = sources.length === 1 ? '' : ` and ${sources.length - 1} more`;
  const risks = [
    ...task.risk_flags.filter((flag) => isRiskyText(flag)).map((flag) => `the task carries the risk flag ${flag}`),
    ...(isRiskyText(task.type) ? [`the task is of the type ${task.type}`] : []),
    ...sources.flatMap((path) => riskyWords(path).map((word) => `${path} has to do with "${word}"`)),
  ];
  return { behaviour: true, risky: risks.length > 0, reasons: [`${first}${more} changed`, ...risks] };
}

const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i;
const DOCUMENT_NAME =
  /^(?:readme|license|licence|copying|notice|authors|contributors|changelog|changes|history)(?:\.txt)?$/i;
const IN_DOCS = /^(?:.*\/)?(?:docs?|documentation)\/(?:.*\/)?[^/]+\.(?:txt|png|jpe?g|gif|svg|webp|pdf)$/i;
/** Prompts and templates are texts that run. */
const WORKING_TEXT = /(?:^|\/)(?:prompts?|templates?|skills|agents)\//i;

function isDocumentation(path: string): boolean {
  const name = path.split('/').at(-1) ?? '';
  if (WORKING_TEXT.test(path) && !DOCUMENT_NAME.test(name.replace(DOCUMENT, ''))) return false;
  return DOCUMENT.test(path) || DOCUMENT_NAME.test(name) || IN_DOCS.test(path);
}

const RISKY_WORDS = new Set(
  (
    'security auth authn authz authentication authorization oauth oidc saml sso login logins logout signin signup token ' +
    'tokens jwt session sessions cookie cookies crypto cipher encrypt encryption decrypt hash secret secrets credential ' +
    'credentials password passwords passwd permission permissions acl rbac role roles http https net network socket ' +
    'sockets websocket tls ssl cors csrf xss proxy webhook webhooks request requests server client api apis endpoint ' +
    'endpoints route routes router input inputs form forms parse parser parsers parsing deserialize deserializer ' +
    'upload uploads download downloads sanitize sanitizer validate validation validator sql query queries database ' +
    'exec spawn shell subprocess command commands eval sandbox env dotenv privacy pii payment payments'
  ).split(' '),
);

function riskyWords(path: string): string[] {
  return [...new Set(wordsOf(path).filter((word) => RISKY_WORDS.has(word)))];
}

function isRiskyText(text: string): boolean {
  return wordsOf(text).some((word) => RISKY_WORDS.has(word));
}

/** `src/OAuthTokenStore.ts` has the words src, o, auth, token, store, ts, and oauth. */
function wordsOf(text: string): string[] {
  const parts = text.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const cased = parts.flatMap((part) => part.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/));
  return [...parts, ...cased].map((word) => word.toLowerCase());
}
