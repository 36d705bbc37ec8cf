import { once } from 'node:events';
import type { Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { AccessWatch, AppError, type AuthenticatedRequest, errorBody, loggedError, withPlace } from '@passwright/core';
import type { Request, Response } from 'express';
import { unexpected } from '../errors/framework-errors.js';
import { allowSlowBody, discardBody, withinIdleTime } from '../request/body-time.js';
import { requestId } from '../request/request-id.js';
import type { Line } from './ndjson-lines.js';

/** The result for one line: an object, or the error that the line caused. */
export type LineResult = object | AppError;

/** The longest pause between two lines of a request. */
const IDLE_MS = 60_000;
const LINGER_MS = 2_000;
const logger = new Logger('Lines');

/**
 * Answers each line of a request with one line, in the same order, while the lines arrive: `{ index, …result }` or `{
 * index, …error body }`, where `index` counts from 0. Memory stays constant, because lines are read only as fast as the
 * client reads the responses. When the client disconnects, running work finishes and no more work starts. Half a line
 * is never sent. When the node stops, the response ends after the lines in progress. When the credential is revoked or
 * expires, the response ends within seconds, and its last line says why.
 * @param most the maximum number of lines that `work` gets at once
 * @param work gets the readable lines and returns one result per line, in order. An error that it throws becomes the
 * result of each of them
 */
export async function sendLines(
  request: Request,
  response: Response,
  lines: AsyncIterable<Line[]>,
  { most, work }: { most: number; work: (values: object[]) => Promise<LineResult[]> },
): Promise<void> {
  allowSlowBody(request);
  // Some proxies buffer the whole response, which would block a client that waits for each line.
  response
    .status(200)
    .set({ 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  response.flushHeaders();
  const arriving = lines[Symbol.asyncIterator]();
  const access = new AccessWatch(request as AuthenticatedRequest);
  let index = 0;
  try {
    for (;;) {
      const next = await access.until(withinIdleTime(request, IDLE_MS, arriving.next()));
      if (next.done || response.destroyed) break;
      for (let start = 0; start < next.value.length && !response.destroyed; start += most) {
        if (access.denied) throw access.denied;
        const some = next.value.slice(start, start + most);
        const results = await resultsOf(some, work, () => requestId(request, response));
        await write(response, results.map((result) => lineOf(index++, result)).join(''));
        // Rejected lines wait for no work: without a pause, thousands of them would block every other request.
        await nextTurn();
      }
      if (isStopping(request)) break;
    }
    response.end();
    discardBody(request, LINGER_MS);
  } catch (error) {
    if (access.denied && error === access.denied && !response.destroyed) {
      response.end(lineOf(index, access.denied));
      return discardBody(request, LINGER_MS);
    }
    // The client disconnected within a line, or its body is not valid HTTP: no client waits for a response.
    if (!request.destroyed && !response.destroyed) throw error;
  } finally {
    access.stop();
  }
}

/** Returns true if the server has stopped accepting connections. */
function isStopping({ socket }: Request): boolean {
  return (socket as { readonly server?: Server }).server?.listening === false;
}

async function resultsOf(
  lines: readonly Line[],
  work: (values: object[]) => Promise<LineResult[]>,
  id: () => string,
): Promise<LineResult[]> {
  const values = lines.flatMap((line) => ('value' in line ? [line.value] : []));
  const done = await (values.length > 0 ? withPlace(() => work(values)) : Promise.resolve([])).catch(
    (error: unknown) => {
      if (error instanceof AppError) return values.map(() => error);
      logger.error({ requestId: id(), err: loggedError(error) });
      return values.map(() => unexpected(error));
    },
  );
  const results = done.values();
  return lines.map((line) => ('error' in line ? line.error : (results.next().value as LineResult)));
}

function lineOf(index: number, result: LineResult): string {
  return `${JSON.stringify({ index, ...(result instanceof AppError ? errorBody(result) : result) })}\n`;
}

async function write(response: Response, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const done = new AbortController();
  const events = ['drain', 'close'].map((event) => once(response, event, { signal: done.signal }));
  await Promise.race(events).finally(() => done.abort());
}
