/** What an agent is made with: how the user wants it started. */

export interface AgentOptions {
  /** Program and arguments instead of its usual name. */
  readonly command: readonly string[] | null;
  readonly driver: 'native' | 'acp' | null;
  /** Names of the user's own MCP servers it may have beside ours. */
  readonly mcp: readonly string[];
  /** Names of more variables it may see: for programs nobody knows the keys of. */
  readonly env?: readonly string[];
  /** The user's environment; an agent gets only what its adapter names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How a program reaches the network: no agent works without. */
const network = ['HTTPS_PROXY', 'HTTP_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

/** The variables an adapter names, as far as they are set; a name that ends with `*` stands for all that begin so. */
export function chosenEnv(environment: AgentOptions['environment'], names: readonly string[]): Record<string, string> {
  const isChosen = (name: string): boolean =>
    [...network, ...names].some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isChosen(name) ? [[name, value]] : [],
    ),
  );
}
