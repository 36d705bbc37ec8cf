import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { Injectable, type INestApplicationContext } from '@nestjs/common';
import { currentTrace } from '@passwright/core';
import { jobsIdle, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { JobHandler } from './job-handler.decorator.js';
import { Job } from './job.js';
import { startApp } from './jobs.fixtures.js';
import { Jobs } from './jobs.js';

class Traced extends Job<{ readonly name: string }> {
  static readonly task = 'test.traced';

  constructor(
    name: string,
    override readonly key?: string,
  ) {
    super({ name });
  }
}

/** Records the trace in which each job runs. Without an SDK, the trace is that of the span that added the job. */
@Injectable()
class Recorder {
  readonly runs: [name: string, traceparent: string | undefined][] = [];

  @JobHandler(Traced)
  run({ name }: Traced['payload']): Promise<void> {
    this.runs.push([name, currentTrace()]);
    return Promise.resolve();
  }
}

const one = `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01`;
const other = `00-${'2'.repeat(32)}-${'2'.repeat(16)}-00`;
const jobs = new Jobs();
let url: string;
let dataSource: DataSource;
let app: INestApplicationContext | undefined;

beforeAll(async () => {
  ({ url } = await testDatabase());
  dataSource = await new DataSource({ type: 'postgres', url }).initialize();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterEach(() => app?.close());
afterAll(async () => {
  for (const api of [context, propagation]) api.disable();
  await dataSource.destroy();
});

const within = <T>(traceparent: string, work: () => T) =>
  context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), work);
const add = (...added: Traced[]) => dataSource.transaction((tx) => jobs.addMany(tx, added));

async function runs(): Promise<Recorder['runs']> {
  ({ app } = await startApp({ url }, Recorder));
  await jobsIdle(url, { tasks: [Traced.task] });
  return [...app.get(Recorder).runs].sort();
}

it('a job runs in the trace that added it, or without a trace if there was none', async () => {
  await within(one, () => add(new Traced('a'), new Traced('b', 'key')));
  await within(other, () => add(new Traced('c')));
  await add(new Traced('d'));
  expect(await runs()).toEqual([
    ['a', one],
    ['b', one],
    ['c', other],
    ['d', undefined],
  ]);
});

it('a job that replaces another one under its key runs in the trace of the latest addition', async () => {
  await within(one, () => add(new Traced('first', 'key')));
  await within(other, () => add(new Traced('last', 'key')));
  expect(await runs()).toEqual([['last', other]]);
});

it('a handler that also does the work of other jobs is linked to the traces of those jobs', async () => {
  await within(one, () => add(new Traced('a'), new Traced('b')));
  const span = trace.wrapSpanContext({ traceId: '3'.repeat(32), spanId: '3'.repeat(16), traceFlags: 1 });
  const addLink = jest.spyOn(span, 'addLink');
  const taken = await context.with(trace.setSpan(ROOT_CONTEXT, span), () =>
    dataSource.transaction((tx) => jobs.takeAlong(tx, Traced, 10)),
  );
  expect(taken.map(({ name }) => name).sort()).toEqual(['a', 'b']);
  expect(addLink.mock.calls.map(([link]) => link.context.traceId)).toEqual(['1'.repeat(32), '1'.repeat(32)]);
});
