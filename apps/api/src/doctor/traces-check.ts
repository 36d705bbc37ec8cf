import { type Finding, type Installation, ok, reasonOf, warning } from './finding.js';

/** Remedies by the status of the receiver's response. */
const remedies: Readonly<Record<number, string>> = {
  400: 'Set OTEL_EXPORTER_OTLP_PROTOCOL to the other of http/protobuf and http/json.',
  401: 'Set the key of the receiver in OTEL_EXPORTER_OTLP_HEADERS.',
  403: 'Set the key of the receiver in OTEL_EXPORTER_OTLP_HEADERS.',
  404: 'Correct the path: OTEL_EXPORTER_OTLP_ENDPOINT gets /v1/traces appended, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT does not.',
  405: 'Correct the path: OTEL_EXPORTER_OTLP_ENDPOINT gets /v1/traces appended, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT does not.',
  415: 'Set OTEL_EXPORTER_OTLP_PROTOCOL to the other of http/protobuf and http/json.',
};
const unreachable =
  'Check host and port of OTEL_EXPORTER_OTLP_ENDPOINT. OTLP over HTTP usually has port 4318; gRPC on 4317 is not supported.';

/** Checks that the receiver of traces accepts a request, if tracing is on. Sends no span. */
export async function tracesCheck({ config, limitMs }: Installation): Promise<Finding[]> {
  if (!config.tracing) return [];
  // Loads the SDK of OpenTelemetry only if tracing is on.
  const { receiverFailure } = await import('../tracing/trace-exporter.js');
  const failure = await receiverFailure(config.tracing.protocol, limitMs * 0.8);
  if (!failure) return [ok('The receiver of traces accepts requests.')];
  const { code } = failure as { readonly code?: unknown };
  const status = typeof code === 'number' ? ` (${code})` : '';
  const fix = typeof code === 'number' ? remedies[code] : undefined;
  return [warning(`The receiver of traces cannot be used: ${reasonOf(failure)}${status}.`, fix ?? unreachable)];
}
