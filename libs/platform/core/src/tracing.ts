import { createHash } from 'node:crypto';
import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AppError } from './errors/app-error.js';

/**
 * Runs a call to another system in a span of the current trace. If no span is being recorded, only runs the call.
 * @param name a fixed name, without ids.
 * @param attributes never personal data, secrets or content
 */
export function inSpan<T>(name: string, attributes: Attributes, call: (span?: Span) => Promise<T>): Promise<T> {
  if (!trace.getActiveSpan()?.isRecording()) return call();
  return run(name, { kind: SpanKind.CLIENT, attributes }, call);
}

/**
 * Runs an HTTP request to another system like `inSpan`. The span records only method, host and status. No `traceparent`
 * is sent, because the receiver may belong to anyone.
 * @param send sends the request and reports the status of the response
 */
export function inHttpSpan<T>(
  method: string,
  { hostname }: URL,
  send: (noteStatus: (status: number) => void) => Promise<T>,
): Promise<T> {
  return inSpan(method, { 'http.request.method': method, 'server.address': hostname }, (span) =>
    send((status) => span?.setAttribute('http.response.status_code', status)),
  );
}

/**
 * Runs queued work in a span. The span belongs to the trace that queued the work, or to a new trace.
 * @param traceparent the `currentTrace` when the work was queued
 */
export function inTraceOf<T>(
  traceparent: string | undefined,
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return context.with(contextOf(traceparent), () => run(name, { kind: SpanKind.CONSUMER, attributes }, work));
}

/** Returns the current span as W3C `traceparent`; undefined outside a trace. */
export function currentTrace(): string | undefined {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/**
 * Links the current span to a span of another trace. Use it if the work of one span also completes the work of the
 * other.
 */
export function linkTrace(traceparent: string | undefined): void {
  const linked = traceparent === undefined ? undefined : trace.getSpanContext(contextOf(traceparent));
  if (linked) trace.getActiveSpan()?.addLink({ context: linked });
}

/** Wraps `work` so that it runs in the current trace, no matter where it is called later. */
export function inCurrentTrace<Work extends (...values: never[]) => unknown>(work: Work): Work {
  return context.bind(context.active(), work);
}

/**
 * Marks the current span with a pass, so that a search finds the change of a pass and the requests of phones for it.
 * The attribute is a hash of the serial number, because wallets use that number as an id.
 */
export function tracePass(serialNumber: string): void {
  const span = trace.getActiveSpan();
  if (!span?.isRecording()) return;
  span.setAttribute('passwright.pass', createHash('sha256').update(serialNumber).digest('hex').slice(0, 16));
}

function contextOf(traceparent: string | undefined) {
  return traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });
}

function run<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  return trace.getTracer('passwright').startActiveSpan(name, options, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      noteFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Records only the class of an error, because its message may contain personal data. */
function noteFailure(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof Error ? error.name : '_OTHER');
  // Do not mark a rejected request as an error, because the service has not failed.
  if (!(error instanceof AppError) || error.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}
