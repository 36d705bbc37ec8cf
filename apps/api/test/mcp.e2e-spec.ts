import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { RunningService, templateBody, type Account } from './running-service.js';

let service: RunningService;
let account: Account;
const open: Client[] = [];

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
});
afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await service.stop();
});

async function agent(token: string): Promise<Client> {
  const client = new Client({ name: 'spec', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  open.push(client);
  return client;
}

describe('the MCP server', () => {
  it('lists the tools', async () => {
    const client = await agent(await account.apiKey());
    const { tools } = await client.listTools();
    console.log(tools.map((t) => [t.name, t.title, JSON.stringify(t.annotations), JSON.stringify(t.inputSchema).length]));
    const saved = await client.callTool({ name: 'upsertTemplate', arguments: { templateId: 'offer', body: templateBody('offer') } });
    console.log(JSON.stringify(saved).slice(0, 300), (saved.content as {type:string}[]).map((c) => c.type));
    const again = await client.callTool({ name: 'upsertTemplate', arguments: { templateId: 'offer', body: { ...templateBody('offer'), title: 'Other' } } });
    console.log(JSON.stringify(again).slice(0, 900));
    const token = (again.structuredContent as { planToken: string }).planToken;
    const done = await client.callTool({ name: 'upsertTemplate', arguments: { templateId: 'offer', planToken: token, body: { ...templateBody('offer'), title: 'Other' } } });
    console.log(JSON.stringify(done.structuredContent).slice(0, 300));
    const bad = await client.callTool({ name: 'createPass', arguments: { templateId: 'offer', body: { nope: 1 } } });
    console.log(JSON.stringify(bad));
    console.log(await client.listResources(), await client.listPrompts());
  });
});
