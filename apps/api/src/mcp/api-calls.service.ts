import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { asToolConnection } from '@passwright/core';

import type { Tool } from './tools.js';

/** The caller of a tool. */
export interface ApiCaller {
  /** The unchanged `Authorization` header. */
  readonly authorization: string;
  readonly ip: string | undefined;
  readonly requestId: string;
}

export interface ApiResponseBody {
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The parsed body; null if the response is not JSON. */
  readonly json: Record<string, unknown> | null;
}

/**
 * Calls the API's own operations with the caller's credential and address, without a socket. Guards, validation and
 * limits apply as to any HTTP request.
 */
@Injectable()
export class ApiCallsService {
  constructor(private readonly host: HttpAdapterHost) {}

  async call(
    tool: Tool,
    input: Readonly<Record<string, unknown>>,
    caller: ApiCaller,
    headers = {},
  ): Promise<ApiResponseBody> {
    const { body } = input;
    const sendsBody = tool.bodyType !== null && body !== undefined;
    return this.request(
      tool.method,
      target(tool, input),
      caller,
      { ...(sendsBody && { 'content-type': tool.bodyType }), ...headersOf(tool, input), ...headers },
      sendsBody ? JSON.stringify(body) : undefined,
    );
  }

  async request(
    method: string,
    url: string,
    { authorization, ip, requestId }: ApiCaller,
    headers = {},
    payload?: string,
  ): Promise<ApiResponseBody> {
    const [here, there] = duplexPair();
    const server = this.host.httpAdapter.getHttpServer() as Server;
    // Make the server see the agent's address instead of its own.
    server.emit('connection', asToolConnection(Object.assign(there, { remoteAddress: ip })));
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

/** Builds the path and query of a call. A missing value leaves an empty path segment, which matches no route. */
function target({ path, queryNames }: Tool, input: Readonly<Record<string, unknown>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(textOf(input[name])));
  const query = new URLSearchParams();
  for (const name of queryNames) {
    const value = input[name];
    if (value !== undefined && value !== null) query.set(name, textOf(value));
  }
  return query.size > 0 ? `${filled}?${query.toString()}` : filled;
}

function headersOf({ headerNames }: Tool, input: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(headerNames).filter(([name]) => input[name] !== undefined);
  return Object.fromEntries(given.map(([name, header]) => [header, textOf(input[name])]));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
