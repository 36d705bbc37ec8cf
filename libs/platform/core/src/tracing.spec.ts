import { context, propagation, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { Internal, NotFound } from './errors/wire-errors.js';
import { currentTrace, inCurrentTrace, inHttpSpan, inSpan, inTraceOf, linkTrace, tracePass } from './tracing.js';

const exporter = new InMemorySpanExporter();
const origin = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Turns tracing on, as an app does. */
function turnOn(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
}

afterEach(() => {
  for (const api of [context, propagation, trace]) api.disable();
  exporter.reset();
});

const job = <T>(work: () => Promise<T>, traceparent?: string) => inTraceOf(traceparent, 'job', {}, work);
const span = (name: string): ReadableSpan | undefined =>
  exporter.getFinishedSpans().find((finished) => finished.name === name);

describe('tracing that is off', () => {
  it('inSpan, inHttpSpan and inTraceOf run their work without a trace while tracing is off', async () => {
    const seen = await job(() =>
      inSpan('call', {}, (active) => {
        linkTrace(origin);
        tracePass('serial');
        return inHttpSpan('GET', new URL('https://example.com'), () => Promise.resolve([active, currentTrace()]));
      }),
    );
    expect(seen).toEqual([undefined, undefined]);
  });

  it('inCurrentTrace returns the function itself while tracing is off', () => {
    const work = () => undefined;
    expect(inCurrentTrace(work)).toBe(work);
  });
});

describe('tracing that is on', () => {
  beforeEach(turnOn);

  it('inTraceOf continues the trace of a traceparent, and begins a new trace if there is no traceparent', async () => {
    await job(() => Promise.resolve(), origin);
    expect(span('job')?.parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', isRemote: true });
    exporter.reset();
    await context.with(propagation.extract(ROOT_CONTEXT, { traceparent: origin }), () => job(() => Promise.resolve()));
    expect(span('job')?.parentSpanContext).toBeUndefined();
  });

  it('inHttpSpan records the method, host and status of a request, but no other part of its address', async () => {
    const url = new URL('https://user:secret@example.com:8443/hooks/secret?token=secret');
    await job(() => inHttpSpan('POST', url, (noteStatus) => Promise.resolve(noteStatus(204))));
    expect(span('POST')?.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': 'example.com',
      'http.response.status_code': 204,
    });
    expect(span('POST')?.parentSpanContext?.spanId).toBe(span('job')?.spanContext().spanId);
  });

  it('inSpan does not begin a trace, and does not add to a span that has ended', async () => {
    await inSpan('call', {}, () => Promise.resolve());
    let late = () => Promise.resolve();
    await job(() => {
      late = inCurrentTrace(() => inSpan('call', {}, () => Promise.resolve()));
      return Promise.resolve();
    });
    await late();
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['job']);
  });

  it.each([
    ['a failure', new TypeError('ada@example.com'), 'TypeError', SpanStatusCode.ERROR],
    ['an internal error', new Internal(), 'Internal', SpanStatusCode.ERROR],
    ['a rejection', new NotFound('ada@example.com'), 'NotFound', SpanStatusCode.UNSET],
  ])('a span records only the class of %s, without the message', async (_, error, type, code) => {
    await expect(job(() => Promise.reject(error))).rejects.toBe(error);
    expect(span('job')).toMatchObject({ attributes: { 'error.type': type }, status: { code }, events: [] });
    expect(span('job')?.status.message).toBeUndefined();
  });

  it('linkTrace links the current span to another trace, and ignores a malformed traceparent', async () => {
    await job(() => {
      for (const traceparent of [origin, undefined, 'nonsense']) linkTrace(traceparent);
      return Promise.resolve();
    });
    expect(span('job')?.links.map((link) => link.context.spanId)).toEqual(['b7ad6b7169203331']);
  });

  it('tracePass marks the current span with a hash that is the same for the same pass', async () => {
    for (const serial of ['one', 'one', 'two']) await job(() => Promise.resolve(tracePass(serial)));
    const marks = exporter.getFinishedSpans().map(({ attributes }) => String(attributes['passwright.pass']));
    expect(marks[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(marks[1]).toBe(marks[0]);
    expect(marks[2]).not.toBe(marks[0]);
  });
});
