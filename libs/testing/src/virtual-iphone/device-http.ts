import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A request that a phone sent, and its result. */
export interface PhoneRequest {
  readonly at: Date;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The address from the pass, even if `route` redirects the request. */
  readonly url: string;
  /** The path and query exactly as sent. */
  readonly path: string;
  /** The headers that the phone set, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body. */
  readonly body?: string;
  /** The status of the response; null without a response. */
  status: number | null;
  /** The reason for a missing response; null if a response arrived. */
  error: string | null;
}

/** A response with its unpacked body. */
export interface PhoneResponse {
  /** The status; null without a response, in which case `error` contains the reason. */
  readonly status: number | null;
  readonly error: string | null;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The network settings of a phone. */
export interface DeviceHttpOptions {
  readonly now: () => Date;
  readonly userAgent: string;
  /** The authorities to trust for https, as PEM text. They replace the system's authorities. */
  readonly ca: readonly string[] | undefined;
  readonly timeoutSeconds: number;
  /** Returns another address for a request. Path and query stay the same. */
  readonly route: ((url: URL) => URL | string) | undefined;
}

const maxResponseBytes = 16 << 20;
/** The maximum number of connections to one server. A real phone opens only a few. */
const maxSockets = 4;

/**
 * Sends a phone's requests over its own persistent connections, without cookies, cache or redirects. Does not change
 * paths, as `fetch` would. Each request has a time limit, and a response has at most 16 MiB.
 */
export class DeviceHttp {
  readonly requests: PhoneRequest[] = [];
  private readonly httpAgent = new HttpAgent({ keepAlive: true, maxSockets });
  private readonly httpsAgent: HttpsAgent;

  constructor(private readonly options: DeviceHttpOptions) {
    this.httpsAgent = new HttpsAgent({ keepAlive: true, maxSockets, ...(options.ca && { ca: [...options.ca] }) });
  }

  /**
   * Sends a request. Never rejects: the status is null without a response.
   * @param path path and query, already encoded
   */
  async send(
    method: PhoneRequest['method'],
    origin: string,
    path: string,
    { headers = {}, json }: { readonly headers?: Record<string, string>; readonly json?: unknown } = {},
  ): Promise<PhoneResponse> {
    const body = json === undefined ? undefined : JSON.stringify(json);
    const sent = { ...this.standardHeaders(body), ...headers };
    const url = origin + path;
    const request: PhoneRequest = {
      at: this.options.now(),
      method,
      url,
      path,
      headers: sent,
      body,
      status: null,
      error: null,
    };
    this.requests.push(request);
    try {
      const reply = await this.exchangeOnLiveConnection(request);
      request.status = reply.status;
      return reply;
    } catch (error) {
      request.error = error instanceof Error ? error.message : String(error);
      return { status: null, error: request.error, headers: {}, body: Buffer.alloc(0) };
    }
  }

  /** Closes the connections. */
  close(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  private standardHeaders(body: string | undefined): Record<string, string> {
    return {
      accept: '*/*',
      'accept-language': 'en-GB,en;q=0.9',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': this.options.userAgent,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
    };
  }

  /** Sends a request. Repeats it on a new connection if the server was just closing the idle one. */
  private async exchangeOnLiveConnection(request: PhoneRequest): Promise<PhoneResponse> {
    for (;;) {
      const attempt = this.exchange(request);
      try {
        return await attempt.response;
      } catch (error) {
        if (!attempt.wasReused() || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
      }
    }
  }

  private exchange(request: PhoneRequest): { response: Promise<PhoneResponse>; wasReused: () => boolean } {
    const origin = new URL(this.options.route?.(new URL(request.url)) ?? request.url);
    const secure = origin.protocol === 'https:';
    const sent = (secure ? httpsRequest : httpRequest)({
      agent: secure ? this.httpsAgent : this.httpAgent,
      protocol: origin.protocol,
      hostname: origin.hostname.replace(/^\[|\]$/g, ''),
      port: origin.port,
      method: request.method,
      path: request.path,
      headers: request.headers,
      signal: AbortSignal.timeout(this.options.timeoutSeconds * 1000),
    });
    const reply = new Promise<PhoneResponse>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (response) => void readResponse(response).then(resolve, reject));
    });
    sent.end(request.body);
    return { response: reply, wasReused: () => sent.reusedSocket };
  }
}

async function readResponse(response: IncomingMessage): Promise<PhoneResponse> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxResponseBytes) throw new Error(`The response has more than ${maxResponseBytes} bytes.`);
    chunks.push(chunk);
  }
  const body = unpack(Buffer.concat(chunks), response.headers['content-encoding']);
  return { status: response.statusCode ?? null, error: null, headers: response.headers, body };
}

function unpack(body: Buffer, encoding: string | undefined): Buffer {
  const bounds = { maxOutputLength: maxResponseBytes };
  if (body.length === 0) return body;
  if (encoding === 'gzip') return gunzipSync(body, bounds);
  if (encoding === 'deflate') return inflateSync(body, bounds);
  if (encoding === 'br') return brotliDecompressSync(body, bounds);
  return body;
}
