/** Options of the MCP server. */
export abstract class McpOptions {
  /** The public address of the service. Requests for another host or from other sites' pages are rejected. */
  abstract readonly baseUrl: string;
  /** The secret that authenticates plan tokens; the same on every node. */
  abstract readonly planSecret: string;
  /**
   * The authorization servers whose tokens the service accepts, announced at `/.well-known/oauth-protected-resource`.
   */
  abstract readonly authorizationServers: readonly string[];
}
