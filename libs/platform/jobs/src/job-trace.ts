import { currentTrace, inTraceOf } from '@passwright/core';

/** The flags of a job in the queue, if it has any. */
export type JobFlags = Readonly<Record<string, true>> | null;

const TRACE = 'traceparent:';

/**
 * Returns the flags that carry the current trace to a job; none outside a trace. The payload belongs to the handler, so
 * the trace is in the flags.
 */
export function traceFlags(): string[] {
  const traceparent = currentTrace();
  return traceparent === undefined ? [] : [TRACE + traceparent];
}

/** Returns the trace that added a job, as `traceparent`. */
export function traceOf(flags: JobFlags | undefined): string | undefined {
  return Object.keys(flags ?? {})
    .find((flag) => flag.startsWith(TRACE))
    ?.slice(TRACE.length);
}

/**
 * Runs one attempt of a job in the trace that added it. Span names follow OpenTelemetry's conventions for messaging.
 */
export function runInTrace(
  { task, attempts, flags }: { readonly task: string; readonly attempts: number; readonly flags?: JobFlags },
  lane: string,
  run: () => Promise<void>,
): Promise<void> {
  const attributes = {
    'messaging.system': 'graphile_worker',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': task,
    'passwright.job.lane': lane,
    'passwright.job.attempt': attempts,
  };
  return inTraceOf(traceOf(flags), `process ${task}`, attributes, run);
}
