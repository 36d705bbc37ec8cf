import { z } from 'zod';
import { httpUrl } from './variable-forms.js';

/** The protocols in which spans can be sent. */
const protocols = ['http/protobuf', 'http/json'] as const;
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
/** A comma-separated list of `name=value`, which OpenTelemetry reads itself. */
const pairs = z
  .string()
  .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'must be name=value, with commas between several')
  .optional();

/**
 * The variables of OpenTelemetry, with their standard meanings. OpenTelemetry's SDK reads some of them itself. While
 * tracing is off, all are ignored, even invalid ones.
 */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl,
    about:
      'OTLP receiver for traces; /v1/traces is appended. Unset, like OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracing is off.',
    example: 'http://localhost:4318',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: httpUrl,
    about:
      'OTLP receiver for traces only; the address is used unchanged. Default: OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces.',
    example: 'http://localhost:4318/v1/traces',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: pairs,
    about: 'Headers for the OTLP receiver, such as its key: name=value, with commas between several. Default: none.',
    example: 'x-api-key=5f1c0c3a2b7e4d8f',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    schema: z.enum(protocols, 'must be http/protobuf or http/json').default('http/protobuf'),
    about: 'Protocol of the OTLP receiver: http/protobuf or http/json. Default: http/protobuf.',
    example: 'http/json',
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    schema: z.enum(protocols, 'must be http/protobuf or http/json').optional(),
    about: 'Protocol for traces only. Default: OTEL_EXPORTER_OTLP_PROTOCOL.',
    example: 'http/json',
  },
  OTEL_TRACES_EXPORTER: {
    schema: z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp'),
    about: 'none: tracing is off, whatever the other variables say. Default: otlp.',
    example: 'none',
  },
  OTEL_SERVICE_NAME: {
    schema: z.string().optional(),
    about: 'Name of this service in traces. Default: passwright.',
    example: 'passwright-staging',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    schema: pairs,
    about: 'Attributes of all spans: name=value, with commas between several. Default: none.',
    example: 'deployment.environment.name=staging',
  },
  OTEL_TRACES_SAMPLER: {
    schema: z.enum(samplers, `must be one of ${samplers.join(', ')}`).default('parentbased_always_on'),
    about: `Which requests and jobs are recorded: ${samplers.join(', ')}. Default: parentbased_always_on.`,
    example: 'parentbased_traceidratio',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z
      .string()
      .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
      .default('1')
      .transform(Number),
    about: 'Share of the requests and jobs that the two ratio samplers record. Default: 1.',
    example: '0.1',
  },
  OTEL_SDK_DISABLED: {
    schema: z
      .string()
      .regex(/^(true|false)$/i, 'must be true or false')
      .default('false'),
    about: 'true: tracing is off, whatever the other variables say. Default: false.',
    example: 'true',
  },
} as const;
