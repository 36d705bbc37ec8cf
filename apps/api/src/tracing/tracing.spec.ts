import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import { startTracing } from './tracing.js';

let server: Server;
const sockets: Socket[] = [];
const lines: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
const before = { ...process.env };

beforeEach(async () => {
  lines.length = 0;
  // Accepts connections and never responds.
  server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  process.env = { ...before };
  // Ends what the exporter still waits for.
  for (const socket of sockets.splice(0)) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  server.close();
});

function start(variables: Record<string, string> = {}) {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ...variables });
  return startTracing({ protocol: 'http/protobuf' }, logger);
}

const span = () => trace.getTracer('test').startSpan('a span').end();

it('drops the spans that a silent receiver holds up, and logs their number and the failure', async () => {
  const tracing = start({ OTEL_EXPORTER_OTLP_TIMEOUT: '100', OTEL_BSP_SCHEDULE_DELAY: '10' });
  for (let n = 0; n < 10_000; n++) span();
  await pause(500);
  span();
  expect(lines.join('')).toContain('Spans were not sent: Request timed out');
  expect(lines.join('')).toMatch(/Dropped 7\d{3} spans because maxQueueSize reached/);
  await tracing.stop();
});

it('stops within two seconds while a receiver is silent, and traces nothing afterwards', async () => {
  const tracing = start();
  span();
  const begun = performance.now();
  await tracing.stop();
  expect(performance.now() - begun).toBeLessThan(2500);
  expect(trace.getTracer('test').startSpan('late').isRecording()).toBe(false);
});

it('logs a variable that the SDK ignores', async () => {
  const tracing = start({ OTEL_TRACES_SAMPLER: 'sometimes' });
  expect(lines.join('')).toContain('OTEL_TRACES_SAMPLER');
  await tracing.stop();
});
