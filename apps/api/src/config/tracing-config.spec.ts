import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './config.js';

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright-config-'));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const tracingOf = (environment: Record<string, string>) => loadConfig({ DATA_DIR: dataDir, ...environment }).tracing;

const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
/** Values of OpenTelemetry's variables that other programs support, but this service does not. */
const foreign = {
  OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  OTEL_TRACES_SAMPLER: 'xray',
  OTEL_TRACES_SAMPLER_ARG: 'endpoint=http://localhost:2000',
  OTEL_RESOURCE_ATTRIBUTES: 'nonsense',
};

it.each<Record<string, string>>([
  {},
  { OTEL_SDK_DISABLED: 'yes' },
  { ...on, OTEL_SDK_DISABLED: 'true' },
  { ...on, OTEL_SDK_DISABLED: 'TRUE' },
  { ...on, OTEL_TRACES_EXPORTER: 'none' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317', OTEL_SDK_DISABLED: 'true' },
])('loadConfig ignores unsupported values if tracing is off: %j', (environment) => {
  expect(tracingOf({ ...foreign, ...environment })).toBeNull();
});

it.each(Object.entries(foreign))('loadConfig rejects %s=%s while tracing is on', (name, value) => {
  expect(() => tracingOf({ ...on, [name]: value })).toThrow(new RegExp(`- ${name} must .*; for example ${name}=`));
});

it('the protocol variable for traces takes precedence over the general one', () => {
  const all = { ...on, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  expect(tracingOf(on)).toMatchObject({ protocol: 'http/protobuf' });
  expect(tracingOf(all)).toMatchObject({ protocol: 'http/json' });
  expect(tracingOf({ ...all, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' })).toMatchObject({
    protocol: 'http/protobuf',
  });
  expect(() => tracingOf({ ...all, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' })).toThrow(
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be http/protobuf or http/json',
  );
});

it.each([
  ['parentbased_always_on', 1],
  ['always_on', 1],
  ['parentbased_always_off', 0],
  ['always_off', 0],
  ['parentbased_traceidratio', 0.25],
  ['traceidratio', 0.25],
])('the sampler %s records the share %d of all requests', (OTEL_TRACES_SAMPLER, share) => {
  const sampler = { OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: '0.25' };
  expect(tracingOf({ ...on, ...sampler })).toMatchObject({ share });
});
