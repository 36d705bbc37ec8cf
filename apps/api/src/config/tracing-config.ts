import type { TracingOptions } from '../tracing/tracing.js';
import type { Values } from './variables/variables.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Removes the variables of OpenTelemetry unless tracing is on, because a platform may set them to values that this
 * service does not support.
 */
export function withoutUnusedTracing(environment: Environment): Environment {
  const endpoint = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isDisabled = /^true$/i.test(environment.OTEL_SDK_DISABLED ?? '') || environment.OTEL_TRACES_EXPORTER === 'none';
  if (endpoint !== undefined && !isDisabled) return environment;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('OTEL_')));
}

/** Returns how traces are recorded and sent; null while tracing is off. */
export function tracingConfig(values: Values): TracingOptions | null {
  if (!(values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_ENDPOINT)) return null;
  return {
    protocol: values.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? values.OTEL_EXPORTER_OTLP_PROTOCOL,
    share: shareOf(values),
  };
}

/** Returns the share of the requests that is recorded. */
function shareOf({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio }: Values): number {
  if (sampler.endsWith('always_off')) return 0;
  return sampler.endsWith('traceidratio') ? ratio : 1;
}
