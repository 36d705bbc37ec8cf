import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The network settings for image requests and callbacks. */
export interface OutgoingHttpOptions {
  /** Returns a local address in place of a public one. Path and query stay the same. */
  readonly route: ((url: URL) => URL | string) | undefined;
  /** The authority to trust for https, as PEM text. Replaces the system's authorities. */
  readonly trustedCa: string | undefined;
}

/** A request without credentials and cookies, on a separate connection. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly json?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** Sends the requests that Google makes. Does not follow redirects. */
export class OutgoingHttp {
  private readonly stopped = new AbortController();

  constructor(private readonly options: OutgoingHttpOptions) {}

  /** Sends a request. @throws Error if no response arrives in time, or if it is too large */
  async send(address: string, what: OutgoingRequest): Promise<{ status: number; contentType: string; bytes: Buffer }> {
    const url = new URL(address);
    const origin = new URL(this.options.route?.(url) ?? url);
    const send = origin.protocol === 'https:' ? httpsRequest : httpRequest;
    const signal = AbortSignal.any([this.stopped.signal, AbortSignal.timeout(what.timeoutMs)]);
    const sent = send({
      agent: false,
      ...(this.options.trustedCa && { ca: this.options.trustedCa }),
      hostname: origin.hostname.replace(/^\[|\]$/g, ''),
      port: origin.port,
      method: what.method,
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        'user-agent': 'Google-Valuables',
        ...(what.json !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(what.json),
        }),
      },
      signal,
    });
    const reply = new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', resolve);
    });
    sent.end(what.json);
    return read(await reply, what.maxBytes);
  }

  /** Aborts the requests in progress and sends no more. */
  stop(): void {
    this.stopped.abort(new Error('The stand-in was stopped.'));
  }
}

async function read(response: IncomingMessage, maxBytes: number) {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new Error(`The response has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  const contentType = response.headers['content-type'] ?? '';
  return { status: response.statusCode ?? 0, contentType, bytes: Buffer.concat(chunks) };
}
