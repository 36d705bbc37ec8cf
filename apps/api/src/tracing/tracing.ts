import { setTimeout as pause } from 'node:timers/promises';
import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { RequestSampler } from './request-sampler.js';
import { traceExporter, type TraceProtocol } from './trace-exporter.js';

/** The settings for recording and sending traces. The SDK reads the other standard variables from the environment. */
export interface TracingOptions {
  readonly protocol: TraceProtocol;
  /** The share of requests to record, from 0 to 1. Also applies to jobs without a request. */
  readonly share: number;
}

/** Tracing of this process. */
export interface Tracing {
  /** Sends the last spans, for at most two seconds. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 2000;

/**
 * Loads the SDK of OpenTelemetry and starts tracing. Import this file only when tracing is on. At most 2048 spans wait
 * in a queue (`OTEL_BSP_MAX_QUEUE_SIZE`), and further ones are dropped.
 */
export function startTracing({ protocol, share }: TracingOptions, logger: Logger): Tracing {
  const log = logger.child({ context: 'Tracing' });
  diag.setLogger({ ...silent, warn: (text) => log.warn(text), error: (text) => log.warn(text) }, DiagLogLevel.WARN);
  // Log only the message, because the error contains the receiver's whole response.
  setGlobalErrorHandler((error) => log.warn(`Spans were not sent: ${messageOf(error)}`));
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'passwright' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new RequestSampler(share),
    spanProcessors: [new BatchSpanProcessor(traceExporter(protocol))],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // Do not propagate baggage, which callers could fill with anything.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    stop: async () => {
      const sent = provider.shutdown().catch((error: unknown) => log.warn(`Spans were not sent: ${messageOf(error)}`));
      await Promise.race([sent, pause(STOP_WITHIN_MS, undefined, { ref: false })]);
      for (const api of [trace, context, propagation, diag]) api.disable();
    },
  };
}

const nothing = () => undefined;
const silent = { debug: nothing, info: nothing, verbose: nothing };

function messageOf(error: unknown): string {
  return typeof error === 'string' ? error : error instanceof Error ? error.message : 'unknown error';
}
