import { Injectable } from '@nestjs/common';
import { ProtocolError, ProtocolErrorCode, Server, specTypeSchemas as schemas } from '@modelcontextprotocol/server';
import { version } from '../version.js';
import { CompletionsService } from './completions.service.js';
import { McpToolsService } from './mcp-tools.service.js';
import { askablePerson } from './elicitation.js';
import { promptMessages, prompts } from './prompts.js';
import { TemplateResourcesService } from './template-resources.service.js';
import { type ToolCaller, ToolRunnerService } from './tool-runner.service.js';

const serverInfo = { name: 'passwright', title: 'Passwright', version };
const instructions =
  'Passwright issues wallet passes: a template gives its passes their appearance, and each pass lives in Apple Wallet, ' +
  'Google Wallet and on the web. Begin with listTemplates, or with a draft for upsertTemplate. Tools that replace or ' +
  'void something first return a plan: show it to the person you work for, then call again with its planToken.';
const MINUTES = 60_000;
// These lists change only with a release or with the key's tools. Templates change at any time, so they are not cached.
const seldomChanges = { ttlMs: 10 * MINUTES, cacheScope: 'private' } as const;
// Announce no change notifications, because a server exists only for one request.
const options = {
  instructions,
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  cacheHints: {
    'server/discover': seldomChanges,
    'tools/list': seldomChanges,
    'prompts/list': seldomChanges,
    'resources/templates/list': seldomChanges,
  },
};

// Check parameters with these schemas, because the library would report wrong ones as a server error.
const page = { params: schemas.PaginatedRequestParams };
const read = { params: schemas.ReadResourceRequestParams };
const prompt = { params: schemas.GetPromptRequestParams };
const completion = { params: schemas.CompleteRequestParams };

/** Creates the MCP server for one request. This is cheap, because all servers share prepared lists. */
@Injectable()
export class McpServerService {
  constructor(
    private readonly tools: McpToolsService,
    private readonly runner: ToolRunnerService,
    private readonly templates: TemplateResourcesService,
    private readonly completions: CompletionsService,
  ) {}

  make(caller: ToolCaller): Server {
    const server = new Server(serverInfo, options);
    this.serveTools(server, caller);
    this.serveResources(server, caller);
    this.servePrompts(server, caller);
    return server;
  }

  private serveTools(server: Server, caller: ToolCaller): void {
    server.setRequestHandler('tools/list', page, () => ({ tools: this.tools.listed(caller.principal, caller) }));
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const tool = this.tools.find(params.name, caller.principal);
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}" for you.`);
      return this.runner.run(tool, params.arguments ?? {}, { ...caller, person: askablePerson(context) });
    });
  }

  private serveResources(server: Server, caller: ToolCaller): void {
    server.setRequestHandler('resources/list', page, ({ cursor }) => this.templates.list(cursor, caller));
    server.setRequestHandler('resources/templates/list', page, () => ({
      resourceTemplates: this.templates.kinds(caller),
    }));
    server.setRequestHandler('resources/read', read, ({ uri }) => this.templates.read(uri, caller));
  }

  private servePrompts(server: Server, caller: ToolCaller): void {
    server.setRequestHandler('prompts/list', page, () => ({ prompts: prompts.map(({ text: _, ...shown }) => shown) }));
    server.setRequestHandler('prompts/get', prompt, ({ name, arguments: values }) =>
      promptMessages(name, values ?? {}),
    );
    server.setRequestHandler('completion/complete', completion, (params) => this.completions.complete(params, caller));
  }
}
