import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@passwright/testing';
import { examine } from '../../src/doctor/doctor-program.js';

/* The SDK of OpenTelemetry reads its variables from the environment of the process. */
const ended = jest.replaceProperty(process, 'env', { ...process.env });
const dataDir = mkdtempSync(join(tmpdir(), 'passwright doctor '));
const requests: string[] = [];
let status = 200;
const receiver = createServer(({ method, url, headers }, response) => {
  requests.push([method, url, headers['x-api-key']].filter(Boolean).join(' '));
  response.writeHead(status).end();
});

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
beforeEach(() => {
  status = 200;
  requests.length = 0;
});
afterAll(() => {
  ended.restore();
  receiver.close();
  rmSync(dataDir, { recursive: true });
});

const endpoint = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

async function look(variables: Record<string, string>): Promise<string[]> {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
  Object.assign(process.env, variables);
  const closed = await freePort();
  const environment = { DATA_DIR: dataDir, BASE_URL: `http://localhost:${closed}`, ...variables };
  const findings = await examine(environment, { limitMs: 4000 });
  return findings
    .filter(({ check }) => check === 'traces')
    .map(({ verdict, found, fix }) => `${verdict}: ${found}${fix ? ` → ${fix}` : ''}`);
}

it('the doctor does not look for a receiver of traces while tracing is off', async () => {
  expect(await look({})).toEqual([]);
  expect(await look({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_SDK_DISABLED: 'true' })).toEqual([]);
  expect(requests).toEqual([]);
});

it('the doctor sends a request with the configured headers to the receiver of traces', async () => {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=5f1c' };
  for (const OTEL_EXPORTER_OTLP_PROTOCOL of ['http/protobuf', 'http/json'])
    expect(await look({ ...variables, OTEL_EXPORTER_OTLP_PROTOCOL })).toEqual([
      'ok: The receiver of traces accepts requests.',
    ]);
  expect(requests).toEqual(['POST /v1/traces 5f1c', 'POST /v1/traces 5f1c']);
});

it.each([
  [401, /^warning: .*\(401\)\. → Set the key of the receiver in OTEL_EXPORTER_OTLP_HEADERS/],
  [404, /^warning: .*\(404\)\. → Correct the path/],
  [415, /^warning: .*\(415\)\. → Set OTEL_EXPORTER_OTLP_PROTOCOL/],
])('the doctor says what to do if the receiver of traces responds with %d', async (rejected, finding) => {
  status = rejected;
  expect(await look({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() })).toEqual([expect.stringMatching(finding)]);
});

it('the doctor says what to do if no receiver of traces listens', async () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${await freePort()}`;
  expect(await look({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual([
    expect.stringMatching(/^warning: .*ECONNREFUSED.* → Check host and port of OTEL_EXPORTER_OTLP_ENDPOINT/),
  ]);
});
