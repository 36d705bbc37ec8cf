import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import type { ApiResponse, RunningService } from './running-service.js';

export type Generation = 'legacy' | 'modern';

/** An agent that uses the public client, by default with the protocol of 2025, and if pinned with 2026-07-28. */
export class Agent {
  private constructor(readonly client: Client) {}

  static async connect(
    service: RunningService,
    token: string,
    generation: Generation = 'modern',
    path = '/mcp',
  ): Promise<Agent> {
    const versionNegotiation = generation === 'modern' ? ({ mode: { pin: '2026-07-28' } } as const) : undefined;
    const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(path, service.baseUrl), { requestInit }));
    return new Agent(client);
  }

  call(name: string, values: Record<string, unknown> = {}): Promise<CallToolResult> {
    return this.client.callTool({ name, arguments: values });
  }

  /** Returns the structured content of a call that must succeed. */
  async result(name: string, values: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const response = await this.call(name, values);
    if (response.isError) throw new Error(`${name} returned ${JSON.stringify(response.content)}`);
    return response.structuredContent as Record<string, unknown>;
  }

  /** Returns the API's error body of a call that must fail. */
  async error(name: string, values: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { isError, content, structuredContent } = await this.call(name, values);
    const [first] = content;
    if (!isError || content.length !== 1 || first?.type !== 'text' || structuredContent !== undefined) {
      throw new Error(`${name} returned no error: ${JSON.stringify(content)}`);
    }
    return JSON.parse(first.text) as Record<string, unknown>;
  }

  async toolNames(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  async planToken(name: string, values: Record<string, unknown>): Promise<string> {
    const { planToken } = await this.result(name, values);
    if (typeof planToken !== 'string') throw new Error(`${name} returned no plan`);
    return planToken;
  }
}

/** Builds a JSON-RPC request. */
export function request(method: string, params?: object): object {
  return { jsonrpc: '2.0', id: 1, method, ...(params && { params }) };
}

/** Posts one JSON-RPC message as a client of 2025, without its library. */
export function post(
  service: RunningService,
  token: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return service.request('POST', '/mcp', {
    token,
    body,
    headers: { Accept: 'application/json, text/event-stream', ...headers },
  });
}

/** Reads the message from server-sent events or from a JSON body. */
export function messageOf({ bytes, body }: ApiResponse): Record<string, unknown> {
  const data = /^data: (.+)$/m.exec(bytes.toString())?.[1];
  return (data === undefined ? body : JSON.parse(data)) as Record<string, unknown>;
}
