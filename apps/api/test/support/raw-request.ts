import { request as httpRequest, type Agent, type IncomingHttpHeaders } from 'node:http';

/** A request as it is sent. */
export interface Raw {
  method: string;
  /** The path and the query, sent unchanged. */
  target: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export function sendRaw(baseUrl: string, agent: Agent, { method, target, headers, body }: Raw): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path: target, headers, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
