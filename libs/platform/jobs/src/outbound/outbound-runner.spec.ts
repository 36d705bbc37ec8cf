import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { Clock, currentTrace } from '@passwright/core';
import { OutboundRunner } from './outbound-runner.js';

class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterAll(() => {
  for (const api of [context, propagation]) api.disable();
});

const spanContext = (digit: string) => ({ traceId: digit.repeat(32), spanId: digit.repeat(16), traceFlags: 1 });
const spanOf = (digit: string) => trace.wrapSpanContext(spanContext(digit));

it('a running scheduler serves the keys of a second job, and links that job to its trace', async () => {
  const served: [key: string, traceId: string | undefined][] = [];
  let finishFirst: () => void = () => undefined;
  const runner = new OutboundRunner<string>({
    atOnce: 2,
    sliceMs: 10_000,
    clock: new SystemClock(),
    idOf: (key) => key,
    serve: async (key) => {
      served.push([key, currentTrace()?.slice(3, 35)]);
      if (key === 'first') await new Promise<void>((resolve) => (finishFirst = resolve));
      return { hasMore: false, nextAt: null };
    },
    onError: (error) => {
      throw error;
    },
  });
  const { signal } = new AbortController();
  const run = (key: string) => runner.run(signal, (scheduler) => scheduler.join(key));
  const first = context.with(trace.setSpan(ROOT_CONTEXT, spanOf('1')), () => run('first'));
  const second = spanOf('2');
  const addLink = jest.spyOn(second, 'addLink');
  await context.with(trace.setSpan(ROOT_CONTEXT, second), () => run('second'));
  finishFirst();
  await first;
  expect(served).toEqual([
    ['first', '1'.repeat(32)],
    ['second', '1'.repeat(32)],
  ]);
  expect(addLink).toHaveBeenCalledWith({ context: expect.objectContaining(spanContext('1')) });
});
