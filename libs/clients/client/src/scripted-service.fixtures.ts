import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Step = (response: ServerResponse, received: Received) => void;

/** A real HTTP server that responds with the steps of a script. The last step repeats. */
export class ScriptedService {
  readonly received: Received[] = [];
  private steps: Step[] = [];

  private constructor(
    private readonly server: Server,
    readonly baseUrl: string,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.respond(request, response));
  }

  static async start(): Promise<ScriptedService> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScriptedService(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  /** Replaces the script with these steps. */
  script(...steps: Step[]): void {
    this.received.length = 0;
    this.steps = steps;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
    const received = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    this.received.push(received);
    const step = this.steps.length > 1 ? this.steps.shift() : this.steps[0];
    step?.(response, received);
  }
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
  };

/** Returns an error response in the service's form. */
export const rejection = (statusCode: number, code: string, headers: Record<string, string> = {}): Step =>
  json(
    statusCode,
    {
      statusCode,
      code,
      error: 'Reason',
      message: `It is ${code}.`,
      docUrl: `https://passes.example.com/errors#${code}`,
    },
    headers,
  );

/** Breaks the connection without a response. */
export const breaks: Step = (response) => response.destroy();

/** Never responds. */
export const silence: Step = () => undefined;
