import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { Registry } from 'prom-client';
import { QueryFailedError } from 'typeorm';
import { RouteNotFound } from '@passwright/core';
import { createLogger, JsonLogger, logConsole, logsText, requestLog } from './logging.js';
import { RequestMetrics } from './metrics/request-metrics.js';

function recorder(level: 'info' | 'error' = 'info') {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ logLevel: level, logFormat: 'json' }, { write });
  return { logger, lines };
}

function logged(request: object, response: object, isForPerson = false) {
  const { logger, lines } = recorder();
  const reply = Object.assign(new EventEmitter(), { statusCode: 200, writableFinished: true, socket: {}, ...response });
  const asked = {
    id: 'r-1',
    method: 'GET',
    originalUrl: '/v1/templates/secret',
    headers: { authorization: 'Bearer x' },
    ...request,
  };
  requestLog(logger, new RequestMetrics(new Registry()), isForPerson)(
    asked as unknown as Request,
    reply as unknown as Response,
    () => undefined,
  );
  reply.emit('close');
  return lines;
}

describe('the log line of a request', () => {
  it('the log line of a request has id, route pattern, status, duration and account, but no data of the request', () => {
    const [line] = logged({ route: { path: '/v1/templates/:templateId' }, principal: { accountId: 'acc_1' } }, {});
    expect(line).toMatchObject({
      requestId: 'r-1',
      method: 'GET',
      route: '/v1/templates/:templateId',
      status: 200,
      durationMs: expect.any(Number) as number,
      accountId: 'acc_1',
    });
    expect(JSON.stringify(line)).not.toMatch(/secret|Bearer/);
  });

  it('the log line of a request has the level "error" for a 5xx, and says if the client disconnected', () => {
    expect(logged({}, { statusCode: 503 })).toMatchObject([{ level: 50, status: 503 }]);
    expect(logged({}, { writableFinished: false })).toMatchObject([{ aborted: true }]);
  });

  it('the log line of a request has the error code; the log for people adds the message and the path', () => {
    const failure = new RouteNotFound('GET /v1/pass/ada@example.com is not a route.');
    const reply = { statusCode: 404, locals: { failure } };
    const request = { originalUrl: '/v1/pass/ada@example.com?code=secret' };
    const [line] = logged(request, reply);
    expect(line).toMatchObject({ status: 404, code: 'route_not_found' });
    expect(JSON.stringify(line)).not.toContain('ada');
    const [shown] = logged(request, reply, true);
    expect(shown).toMatchObject({ path: '/v1/pass/ada@example.com', reason: failure.message });
    expect(JSON.stringify(shown)).not.toContain('secret');
  });

  it('the log for people shows the route pattern instead of a path with a one-time code', () => {
    const request = { originalUrl: '/invites/a-secret', route: { path: '/invites/:code' } };
    const [line] = logged(request, {}, true);
    expect(line).toMatchObject({ path: '/invites/:code' });
  });

  it('health checks have no log line', () => {
    expect(logged({ originalUrl: '/health/live' }, {})).toEqual([]);
  });
});

describe("Nest's log messages", () => {
  it("the logger writes Nest's messages with context and stack, and objects with their properties", () => {
    const { logger, lines } = recorder();
    const nest = new JsonLogger(logger);
    nest.error('broken', 'Error: broken\n at x', 'Jobs');
    nest.error({ requestId: 'r-1', err: { type: 'TypeError' } }, 'Http');
    expect(lines).toMatchObject([
      { level: 50, context: 'Jobs', stack: 'Error: broken\n at x', msg: 'broken' },
      { level: 50, context: 'Http', requestId: 'r-1', err: { type: 'TypeError' } },
    ]);
  });

  it('a database error that Nest reports is logged without the values of its query', () => {
    const { logger, lines } = recorder();
    const rejection = Object.assign(new Error('Key (email)=(ada@example.com)'), { code: '23505', severity: 'ERROR' });
    new JsonLogger(logger).error(new QueryFailedError('SELECT $1', ['ada@example.com'], rejection), 'Webhooks');
    expect(lines).toMatchObject([{ context: 'Webhooks', err: { type: 'QueryFailedError', sqlState: '23505' } }]);
    expect(JSON.stringify(lines)).not.toMatch(/ada|SELECT/);
  });

  it("Nest's messages about mapped routes are not logged", () => {
    const { logger, lines } = recorder();
    new JsonLogger(logger).log('Mapped {/v1, GET} route', 'RouterExplorer');
    expect(lines).toEqual([]);
  });
});

it('logsText is true for LOG_FORMAT=text, and at a terminal if LOG_FORMAT is not set', () => {
  const { isTTY } = process.stdout;
  const outcomes = [true, false].map((terminal) => {
    Object.assign(process.stdout, { isTTY: terminal, hasColors: () => true });
    return ([null, 'text', 'json'] as const).map((logFormat) => logsText({ logLevel: 'info', logFormat }));
  });
  Object.assign(process.stdout, { isTTY });
  expect(outcomes).toEqual([
    [true, true, false],
    [false, true, false],
  ]);
});

it('logConsole writes each message on the console as one line of the log, without the values of a failed query', () => {
  const { logger, lines } = recorder();
  const target = { ...console };
  logConsole(logger, target);
  target.warn('Retried %d times', 3);
  target.trace(new QueryFailedError('SELECT $1', ['ada@example.com'], new Error('gone')));
  expect(lines).toMatchObject([
    { level: 40, context: 'Console', msg: 'Retried 3 times' },
    { level: 50, context: 'Console', msg: 'gone', err: { message: 'gone' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('ada@example.com');
});

it('logConsole removes the values of a failed query from errors inside objects and lists', () => {
  const { logger, lines } = recorder();
  const target = { ...console };
  logConsole(logger, target);
  const error = new QueryFailedError('SELECT $1', ['ada@example.com'], new Error('gone'));
  target.error('failed', { error, attempt: 2 });
  target.error('failed', [error]);
  expect(lines).toMatchObject([
    { level: 50, msg: "failed { error: 'gone', attempt: 2 }", err: { type: 'QueryFailedError' } },
    { level: 50, msg: "failed [ 'gone' ]", err: { type: 'QueryFailedError' } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('ada@example.com');
});

it('logConsole keeps the stack of a trace and of each error in a message', () => {
  const { logger, lines } = recorder();
  const target = { ...console };
  logConsole(logger, target);
  target.trace('Reached %s', 'here');
  target.error(new Error('one'), new TypeError('two'));
  expect(lines).toMatchObject([
    { msg: 'Reached here', stack: expect.stringMatching(/^Trace: Reached here\n.*logging\.spec/) },
    { msg: 'one two', err: { type: 'Error', message: 'one' }, moreErrors: [{ type: 'TypeError', message: 'two' }] },
  ]);
  expect(JSON.stringify(lines[1])).toMatch(/Error: one.*logging\.spec.*TypeError: two.*logging\.spec/);
});
