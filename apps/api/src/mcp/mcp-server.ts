import { Injectable } from '@nestjs/common';
import { McpServer, ResourceTemplate, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { ApiCalls, type ApiCaller } from './api-calls.js';
import { prompts, type Prompt } from './prompts.js';
import { type ToolCaller, ToolRunner } from './tool-runner.js';
import type { JsonSchema } from './tool-schema.js';
import { isPlanned, type Tool } from './tools.js';

const instructions =
  'Passwright issues wallet passes: a template gives its passes their appearance, and each pass lives in Apple Wallet, ' +
  'Google Wallet and on the web. Begin with listTemplates, or with a draft for upsertTemplate. Tools that replace or ' +
  'void answer a plan first: show it to the person you work for, then call again with its planToken.';
const templateScheme = 'passwright://templates/';

/** Makes the MCP server that serves one request. */
@Injectable()
export class McpServers {
  constructor(
    private readonly runner: ToolRunner,
    private readonly api: ApiCalls,
  ) {}

  make(tools: readonly Tool[], caller: ToolCaller): McpServer {
    const server = new McpServer(
      { name: 'passwright', title: 'Passwright', version: '0.1.0' },
      { instructions, capabilities: { tools: {}, resources: {}, prompts: {} } },
    );
    for (const tool of tools) this.addTool(server, tool, caller);
    this.addTemplates(server, caller);
    for (const prompt of prompts) addPrompt(server, prompt);
    return server;
  }

  private addTool(server: McpServer, tool: Tool, caller: ToolCaller): void {
    const { name, title, description, hints } = tool;
    const { input, output } = isPlanned(tool) ? plannedSchemas(tool) : tool;
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: described(input),
        ...(output && { outputSchema: described(output) }),
        annotations: { title, ...hints },
      },
      (values) => this.runner.run(tool, values as Record<string, unknown>, caller),
    );
  }

  private addTemplates(server: McpServer, caller: ApiCaller): void {
    const list = async () => {
      const { json } = await this.api.request('GET', '/v1/templates?limit=100', caller);
      const templates = (json?.data ?? []) as { id: string; title: string; issuerName: string; type: string }[];
      return {
        resources: templates.map(({ id, title, issuerName, type }) => ({
          uri: `${templateScheme}${encodeURIComponent(id)}`,
          name: id,
          title,
          description: `A template of type ${type} by ${issuerName}`,
          mimeType: 'application/json',
        })),
      };
    };
    server.registerResource(
      'template',
      new ResourceTemplate(`${templateScheme}{templateId}`, { list }),
      { title: 'Template', description: 'A template as it is stored.', mimeType: 'application/json' },
      async (uri) => {
        const id = uri.href.slice(templateScheme.length);
        const { bytes, status } = await this.api.request('GET', `/v1/templates/${id}`, caller);
        if (status !== 200) throw new Error(bytes.toString());
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text: bytes.toString() }] };
      },
    );
  }
}

function addPrompt(server: McpServer, { name, title, description, arguments: taken, text }: Prompt): void {
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(taken.map((one) => [one.name, { type: 'string', description: one.description }])),
    required: taken.filter(({ required }) => required).map((one) => one.name),
  };
  server.registerPrompt(name, { title, description, argsSchema: described(schema) }, (values) => ({
    messages: [
      { role: 'user', content: { type: 'text', text: text((values ?? {}) as Record<string, string | undefined>) } },
    ],
  }));
}

function plannedSchemas({ input, output }: Tool): { input: JsonSchema; output: JsonSchema | null } {
  const planToken = {
    type: 'string',
    description: 'Of the plan that the same call without it has answered. Without it nothing is done.',
  };
  const { $defs, ...result } = output ?? {};
  const plan = {
    type: 'object',
    required: ['planned', 'does', 'planToken', 'expiresAt'],
    properties: {
      planned: { const: true },
      does: { type: 'string' },
      now: { type: 'object', description: 'As it is before.' },
      planToken: { type: 'string' },
      expiresAt: { type: 'string', format: 'date-time' },
    },
  };
  return {
    input: { ...input, properties: { ...(input.properties as object), planToken } },
    output: { type: 'object', anyOf: [result, plan], ...($defs !== undefined && { $defs }) },
  };
}

/** Shows the schema, and leaves checking to the API, so that there is one validation and one wording of what is wrong. */
function described(schema: JsonSchema): StandardSchemaWithJSON {
  const json = () => schema as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'passwright',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}
