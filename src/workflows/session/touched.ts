/** What a change touches, and so who has to look at it: by what git says of it, in paths and in lines. */

import type { SessionTask } from './files/tasks-file.ts';

/**
 * `behaviour`: something that runs, or decides what runs, has changed, so QA has something to look at.
 * `risky`: authentication, input or the network may be concerned, so Security has.
 * A change of documentation alone is neither, whatever the plan said.
 */
export function touches(
  paths: readonly string[],
  { risk_flags, type }: Pick<SessionTask, 'risk_flags' | 'type'>,
  diff = '',
) {
  const sources = paths.filter((path) => !isDocumentation(path));
  const behaviour = sources.length > 0;
  const isNamed = [...risk_flags, type, ...sources].some(isRisky) || sources.some((path) => MANIFEST.test(path));
  return { behaviour, risky: behaviour && (isNamed || hasRiskyLine(diff)) };
}

/** What a person who looks for holes wants to see, in the lines that were added or removed. */
const riskyLines: Readonly<Record<string, RegExp>> = {
  access:
    /authenticat|authori[sz]|oauth|openid|saml|\bjwt\b|log_?(?:in|out)\b|sign_?(?:in|up)\b|passw(?:or)?d|credential|permission|is_?admin|\brbac\b|csrf|\bcors\b|cookie/i,
  secrets: /secret|api_?key|private_?key|(?:access|auth|refresh|bearer|session|id)[_ ]?token/i,
  cryptography:
    /\bcrypto\b|hashlib|create(?:Hash|Cipher|Hmac)|\bhmac\b|bcrypt|scrypt|argon2|\bmd5\b|\bsha-?\d|encrypt|decrypt/i,
  network:
    /\bnode:(?:https?|http2|net|tls|dgram|dns)\b|['"](?:https?|net|tls|dgram|axios|undici|ws|express|fastify|koa|socket\.io)['"]|\bfetch\(|XMLHttpRequest|WebSocket|\burllib|\bhttpx\b|\brequests\.\w+\(|net\/http|\bsocket\b|\.listen\(/,
  execution:
    /\beval\(|new Function\(|\bnode:vm\b|child_process|(?<![.\w])(?:exec|spawn)\w*\(|subprocess|os\.system|\bpopen\b|\bpickle\b|yaml\.load\(|innerHTML|dangerouslySetInnerHTML|document\.write\(/i,
  input:
    /process\.(?:argv|stdin|env)\b|\breq(?:uest)?\.(?:body|query|params|headers|files?)\b|JSON\.parse\(|URLSearchParams|formData|parseArgs|argparse|sys\.argv|os\.environ|\binput\(|multer|upload/,
  database: /\b(?:SELECT\b.+\bFROM|INSERT INTO|UPDATE\b.+\bSET|DELETE FROM)\b|\.query\(|\.raw\(/i,
};

/** Dependencies come in by these files. */
const MANIFEST =
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|requirements[^/]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|poetry\.lock|Pipfile(?:\.lock)?|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|Gemfile(?:\.lock)?|pom\.xml|build\.gradle(?:\.kts)?|composer\.(?:json|lock)|[^/]+\.(?:cs|fs)proj)$/;

/** Of a unified diff; documentation may speak of anything. */
function hasRiskyLine(diff: string): boolean {
  const files = diff.split(/^(?=diff --git )/m).filter((file) => !isDocumentation(pathOf(file)));
  const lines = files.flatMap((file) => file.split('\n').filter((line) => /^[+-](?!\+\+ |-- )/.test(line)));
  return Object.values(riskyLines).some((pattern) => lines.some((line) => pattern.test(line.slice(1))));
}

/** A file that was deleted has a name only before. */
function pathOf(file: string): string {
  const [, path = ''] = /^\+\+\+ "?b\/(.*?)"?$/m.exec(file) ?? /^--- "?a\/(.*?)"?$/m.exec(file) ?? [];
  return path;
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

/** `src/OAuthTokenStore.ts` has the words src, o, auth, token, store, ts, and oauth. */
function isRisky(text: string): boolean {
  const parts = text.split(/[^A-Za-z0-9]+/);
  const cased = parts.flatMap((part) => part.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/));
  return [...parts, ...cased].some((word) => RISKY_WORDS.has(word.toLowerCase()));
}
