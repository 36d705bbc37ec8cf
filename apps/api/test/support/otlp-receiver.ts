import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './apple-wallet-world.js';

/** A span that the receiver got, with plain attributes. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly status: { readonly code?: number };
}

/** The treatment of a request. With `hang`, the receiver never responds. */
type Manner = 'accept' | 'reject' | 'hang';

/** A receiver of OTLP over HTTP. It decodes only JSON. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** The requests in the order of their arrival. */
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: Buffer }[] =
    [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(manner: Manner = 'accept'): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      void bytesOf(request).then((body) => {
        receiver.take(request, body);
        if (manner !== 'hang') response.writeHead(manner === 'accept' ? 200 : 503).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new OtlpReceiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return receiver;
  }

  /** Waits until the received spans satisfy a condition. */
  async hasSpans(condition: (spans: readonly ReceivedSpan[]) => boolean): Promise<void> {
    await until(() => this.spans, condition);
  }

  /** Returns the spans of a trace. */
  traceOf({ traceId }: { readonly traceId: string }): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private take({ url = '', headers }: IncomingMessage, body: Buffer): void {
    this.requests.push({ url, headers, body });
    if (url === '/v1/traces' && headers['content-type'] === 'application/json') this.spans.push(...spansOf(body));
  }
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface JsonSpan extends Omit<ReceivedSpan, 'attributes' | 'links'> {
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string | number | boolean> }[];
  readonly links?: ReceivedSpan['links'];
}

function spansOf(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as {
    resourceSpans: { scopeSpans: { spans: JsonSpan[] }[] }[];
  };
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return spans.map(({ attributes, links = [], ...span }) => ({
    ...span,
    links,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as string])),
  }));
}
