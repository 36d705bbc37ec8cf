import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { pino } from 'pino';
import { startTracing } from './tracing.js';

let server: Server;
const sockets: Socket[] = [];
const lines: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
const before = { ...process.env };

beforeEach(async () => {
  lines.length = 0;
  // This server accepts connections but never responds. An exporter that gives up resets its connection.
  server = createServer((socket) => sockets.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  process.env = { ...before };
  // End the requests that the exporter still waits for.
  for (const socket of sockets.splice(0)) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  server.close();
});

function start(variables: Record<string, string> = {}, share = 1) {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ...variables });
  return startTracing({ protocol: 'http/protobuf', share }, logger);
}

/** Waits for a line of the log, at most for the time limit of the test. */
async function untilLogged(text: string): Promise<void> {
  while (!lines.join('').includes(text)) await pause(5);
}

const span = () => trace.getTracer('test').startSpan('a span').end();

it('tracing drops spans if the receiver is silent, and logs the failure and the number of spans', async () => {
  const tracing = start({ OTEL_EXPORTER_OTLP_TIMEOUT: '100', OTEL_BSP_SCHEDULE_DELAY: '10' });
  for (let n = 0; n < 10_000; n++) span();
  await untilLogged('Spans were not sent: Request timed out');
  span();
  await untilLogged('spans because maxQueueSize reached');
  expect(lines.join('')).toMatch(/Dropped 7\d{3} spans because maxQueueSize reached/);
  await tracing.stop();
});

it('tracing stops without waiting for a silent receiver, and records nothing afterwards', async () => {
  // A single wait for the receiver would exceed the time limit of the test.
  const tracing = start({ OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_EXPORT_TIMEOUT: '600000' });
  span();
  await tracing.stop();
  expect(trace.getTracer('test').startSpan('late').isRecording()).toBe(false);
});

it('the log names an environment variable that the SDK ignores', async () => {
  const tracing = start({ OTEL_TRACES_SAMPLER: 'sometimes' });
  expect(lines.join('')).toContain('OTEL_TRACES_SAMPLER');
  await tracing.stop();
});

describe('sampling', () => {
  /** Starts a span that continues a trace of another process. */
  function within(traceFlags: number, kind: SpanKind): Span {
    const parent = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      traceFlags,
      isRemote: true,
    };
    return trace.getTracer('test').startSpan('a span', { kind }, trace.setSpanContext(ROOT_CONTEXT, parent));
  }

  it.each([
    [0, 1, false],
    [1, 0, true],
  ])(
    "a sampling share of %j applies even if the caller sends the flag %j, and the caller's trace continues",
    async (share, flags, recorded) => {
      const tracing = start({}, share);
      const request = within(flags, SpanKind.SERVER);
      expect(request.isRecording()).toBe(recorded);
      expect(request.spanContext()).toMatchObject({
        traceId: '0af7651916cd43dd8448eb211c80319c',
        traceFlags: recorded ? 1 : 0,
      });
      request.end();
      await tracing.stop();
    },
  );

  it('requests with the same trace id are sampled individually', async () => {
    const tracing = start({}, 0.5);
    const requests = Array.from({ length: 100 }, () => within(1, SpanKind.SERVER));
    expect(new Set(requests.map((request) => request.isRecording()))).toEqual(new Set([true, false]));
    for (const request of requests) request.end();
    await tracing.stop();
  });

  it('a job is recorded only if the request that added it was recorded', async () => {
    const tracing = start({}, 0.5);
    const jobs = [1, 0].map((flags) => within(flags, SpanKind.CONSUMER));
    expect(jobs.map((job) => job.isRecording())).toEqual([true, false]);
    for (const job of jobs) job.end();
    await tracing.stop();
  });
});
