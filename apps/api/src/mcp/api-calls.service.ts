import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

import type { Tool } from './tools.js';

/** For whom a tool is called. */
export interface ApiCaller {
  /** The `Authorization` header as it came. */
  readonly authorization: string;
  readonly ip: string | undefined;
  readonly requestId: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** In lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Null where the answer is not JSON. */
  readonly json: Record<string, unknown> | null;
}

/**
 * Calls the API's own operations as the caller would, with the caller's credential and from the caller's address: through
 * the same guards, validation, limits and errors, without a socket.
 */
@Injectable()
export class ApiCallsService {
  constructor(private readonly host: HttpAdapterHost) {}

  async call(
    tool: Tool,
    input: Readonly<Record<string, unknown>>,
    caller: ApiCaller,
    headers = {},
  ): Promise<ApiAnswer> {
    const { body } = input;
    const sendsBody = tool.bodyType !== null && body !== undefined;
    return this.request(
      tool.method,
      target(tool, input),
      caller,
      { ...(sendsBody && { 'content-type': tool.bodyType }), ...headers },
      sendsBody ? JSON.stringify(body) : undefined,
    );
  }

  async request(
    method: string,
    url: string,
    { authorization, ip, requestId }: ApiCaller,
    headers = {},
    payload?: string,
  ): Promise<ApiAnswer> {
    const [here, there] = duplexPair();
    const server = this.host.httpAdapter.getHttpServer() as Server;
    // The server sees the caller's address, not its own.
    server.emit('connection', Object.assign(there, { remoteAddress: ip }));
    const sent = httpRequest({
      method,
      path: url,
      createConnection: () => here,
      headers: {
        host: 'localhost',
        authorization,
        'x-request-id': requestId,
        accept: 'application/json',
        connection: 'close',
        ...headers,
      },
    });
    sent.end(payload);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const bytes = await buffer(response);
    const isJson = response.headers['content-type']?.startsWith('application/json') === true && bytes.length > 0;
    return {
      status: response.statusCode ?? 500,
      headers: response.headers,
      bytes,
      json: isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : null,
    };
  }
}

/** The path and query of a call. What is missing leaves an empty segment, which no route takes. */
function target({ path, queryNames }: Tool, input: Readonly<Record<string, unknown>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(input[name])));
  const query = new URLSearchParams();
  for (const name of queryNames) {
    const value = input[name];
    if (value !== undefined && value !== null) query.set(name, textOf(value));
  }
  return query.size > 0 ? `${filled}?${query.toString()}` : filled;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
