import { Injectable } from '@nestjs/common';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { McpTools } from './mcp-tools.js';
import { promptMessages, prompts } from './prompts.js';
import { TemplateResources } from './template-resources.js';
import { type ToolCaller, ToolRunner } from './tool-runner.js';

const serverInfo = { name: 'passwright', title: 'Passwright', version: '0.1.0' };
const instructions =
  'Passwright issues wallet passes: a template gives its passes their appearance, and each pass lives in Apple Wallet, ' +
  'Google Wallet and on the web. Begin with listTemplates, or with a draft for upsertTemplate. Tools that replace or ' +
  'void answer a plan first: show it to the person you work for, then call again with its planToken.';
// Nothing is announced when it changes, so a server lives as long as one request.
const options = { instructions, capabilities: { tools: {}, resources: {}, prompts: {} } };

/** Makes the MCP server that serves one request: what it lists is made once, so that this costs next to nothing. */
@Injectable()
export class McpServers {
  constructor(
    private readonly tools: McpTools,
    private readonly runner: ToolRunner,
    private readonly templates: TemplateResources,
  ) {}

  make(caller: ToolCaller): Server {
    const server = new Server(serverInfo, options);
    this.serveTools(server, caller);
    this.serveResources(server, caller);
    server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(({ text: _, ...prompt }) => prompt) }));
    server.setRequestHandler('prompts/get', ({ params }) => promptMessages(params.name, params.arguments ?? {}));
    return server;
  }

  private serveTools(server: Server, caller: ToolCaller): void {
    server.setRequestHandler('tools/list', () => ({ tools: this.tools.listed(caller.principal) }));
    server.setRequestHandler('tools/call', ({ params }) => {
      const tool = this.tools.find(params.name, caller.principal);
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name} for you.`);
      return this.runner.run(tool, params.arguments ?? {}, caller);
    });
  }

  private serveResources(server: Server, caller: ToolCaller): void {
    server.setRequestHandler('resources/list', ({ params }) => this.templates.list(params?.cursor, caller));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: this.templates.kinds(caller) }));
    server.setRequestHandler('resources/read', ({ params }) => this.templates.read(params.uri, caller));
  }
}
