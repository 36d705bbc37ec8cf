import type { TracingOptions } from '../tracing/tracing.js';
import type { Values } from './variables.js';

/** Returns how traces are sent; null while tracing is off. */
export function tracingConfig(values: Values): TracingOptions | null {
  const endpoint = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || values.OTEL_SDK_DISABLED === 'true') return null;
  return { protocol: values.OTEL_EXPORTER_OTLP_PROTOCOL };
}
