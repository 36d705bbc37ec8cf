import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';

/** The protocols of OTLP over HTTP. */
export type TraceProtocol = 'http/protobuf' | 'http/json';

/**
 * Creates the exporter of spans. It reads the receiver's address and headers from the standard variables.
 * @param timeoutMillis the time limit of an export with all its attempts. Default: the standard variable's value
 */
export function traceExporter(protocol: TraceProtocol, timeoutMillis?: number) {
  const settings = timeoutMillis === undefined ? {} : { timeoutMillis };
  return protocol === 'http/json' ? new JsonExporter(settings) : new ProtobufExporter(settings);
}

/** Sends a request without spans to the receiver. @returns the error, or null if the receiver accepts the request */
export async function receiverFailure(protocol: TraceProtocol, limitMs: number): Promise<Error | null> {
  const exporter = traceExporter(protocol, limitMs);
  try {
    return await new Promise((resolve) =>
      exporter.export([], ({ code, error }) =>
        resolve(code === ExportResultCode.SUCCESS ? null : (error ?? new Error('no reason given'))),
      ),
    );
  } finally {
    await exporter.shutdown();
  }
}
