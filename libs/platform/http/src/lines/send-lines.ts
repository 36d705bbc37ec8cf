import { once } from 'node:events';
import type { Server } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import {
  AccessWatch,
  AppError,
  type AuthenticatedRequest,
  errorBody,
  isBesideOthers,
  loggedError,
  withSlot,
} from '@passwright/core';
import type { Request, Response } from 'express';
import { unexpected } from '../errors/framework-errors.js';
import { allowSlowBody, discardBody, withinIdleTime } from '../request/body-timeout.js';
import { requestId } from '../request/request-id.js';
import { LINE_MS } from '../request/request-timeouts.js';
import type { Line } from './ndjson-lines.js';

/** The result for one line: an object, or the error that the line caused. Only an `AppError` is sent with its details. */
export type LineResult = object | Error;

/**
 * The stages `check` and `work` of each line. Each gets lines and returns their results, in order. If a stage throws,
 * its error becomes the result of each of its lines.
 */
export interface LineStages<Checked extends object> {
  /** The maximum number of lines that `work` gets at once; a fifth of it while other tenants are active. */
  readonly most: number;
  /** Checks lines while `work` processes earlier ones. Returns one result per line. */
  readonly check: (values: object[]) => Promise<(Checked | AppError)[]>;
  /**
   * Gets the lines that `check` has accepted. May return the results of only the first lines, but at least one. They
   * are sent immediately, and `work` gets the other lines again.
   */
  readonly work: (checked: Checked[]) => Promise<LineResult[]>;
  /** The page that explains error codes, as in `HttpOptions`. */
  readonly errorHelpUrl?: string | undefined;
}

const LINGER_MS = 2_000;
/** The number of groups of lines that are read ahead, which also limits the memory. */
const MOST_GROUPS = 5;
/**
 * The part of `most` that `work` gets while other tenants are active, because 1000 lines may block the event loop for
 * 50 ms.
 */
const BESIDE_OTHERS = 0.2;
const logger = new Logger('Lines');

/**
 * Responds to each line of a request with one line, in the same order, while lines arrive: `{ index, …result }` or `{
 * index, …error body }`, where `index` counts from 0. Reads lines only as fast as the client reads the responses, so
 * memory stays constant. When the client disconnects, no further work starts. When the node stops, the response ends
 * after the lines in progress. When the credential is revoked, the response ends within seconds, and its last line says
 * why.
 */
export async function sendLines<Checked extends object>(
  request: Request,
  response: Response,
  lines: AsyncIterable<Line[]>,
  { most, check, work, errorHelpUrl }: LineStages<Checked>,
): Promise<void> {
  allowSlowBody(request);
  // Tell proxies not to buffer, because a client may wait for each line.
  response
    .status(200)
    .set({ 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  response.flushHeaders();
  const id = () => requestId(request, response);
  const arriving = checkedAhead(lines, most, (group) => resultsOf(group.map(contentOf), check, id, false));
  const access = new AccessWatch(request as AuthenticatedRequest);
  let index = 0;
  try {
    for (;;) {
      const next = await access.until(withinIdleTime(request, LINE_MS, arriving.next()));
      if (next.done || response.destroyed) break;
      for (let start = 0; start < next.value.length && !response.destroyed;) {
        if (access.denied) throw access.denied;
        const end = start + (isBesideOthers() ? Math.ceil(most * BESIDE_OTHERS) : most);
        const results = await resultsOf(next.value.slice(start, end), work, id, true);
        start += results.length;
        await write(response, results.map((result) => lineOf(index++, result, errorHelpUrl)).join(''));
      }
      if (isStopping(request)) break;
    }
    response.end();
    discardBody(request, LINGER_MS);
  } catch (error) {
    if (access.denied && error === access.denied && !response.destroyed) {
      response.end(lineOf(index, access.denied, errorHelpUrl));
      return discardBody(request, LINGER_MS);
    }
    // Ignore the error if the client has disconnected or sent invalid HTTP.
    if (!request.destroyed && !response.destroyed) throw error;
  } finally {
    access.stop();
  }
}

/**
 * Reads and checks groups ahead, and combines those that are ready, up to `most` lines. Takes one turn of the event
 * loop per group.
 */
async function* checkedAhead<Checked>(
  lines: AsyncIterable<Line[]>,
  most: number,
  check: (group: Line[]) => Promise<Checked[]>,
): AsyncGenerator<Checked[]> {
  const groups = lines[Symbol.asyncIterator]();
  const ready: (Checked[] | null)[] = [];
  const ahead: Promise<void>[] = [];
  const read = () => {
    const before = ahead.at(-1);
    const reading = (async () => {
      await before;
      await nextTurn();
      const next = await groups.next();
      ready.push(next.done ? null : await check(next.value));
    })();
    // Ignore the error here, because the consumer gets it when it reaches this group.
    reading.catch(() => undefined);
    ahead.push(reading);
  };
  for (let count = 0; count < MOST_GROUPS; count++) read();
  for (;;) {
    await ahead[0];
    const some: Checked[] = [];
    let next = ready[0];
    while (next && (some.length === 0 || some.length + next.length <= most)) {
      some.push(...next);
      ready.shift();
      void ahead.shift();
      read();
      next = ready[0];
    }
    if (some.length > 0) yield some;
    else if (next === null) return;
  }
}

/** Returns true if the server has stopped accepting connections. */
function isStopping({ socket }: Request): boolean {
  return (socket as { readonly server?: Server }).server?.listening === false;
}

const contentOf = (line: Line): object | AppError => ('value' in line ? line.value : line.error);

/**
 * Runs a stage for those lines that have no error yet.
 * @param isLong true if the stage may keep the database busy for a long time. @returns the results up to the first line
 * without a result
 */
async function resultsOf<Value extends object, Result extends object>(
  lines: readonly (Value | AppError)[],
  stage: (values: Value[]) => Promise<(Result | Error)[]>,
  id: () => string,
  isLong: boolean,
): Promise<(Result | AppError)[]> {
  const values = lines.filter((line): line is Value => !(line instanceof AppError));
  const toShow = errorsToShow(id);
  const done = await (values.length > 0 ? withSlot(() => stage(values), { isLong }) : Promise.resolve([])).catch(
    (error: unknown) => values.map(() => toShow(error)),
  );
  const results = done.values();
  const known: (Result | AppError)[] = [];
  for (const line of lines) {
    const result = line instanceof AppError ? line : results.next().value;
    if (result === undefined) break;
    known.push(result instanceof Error ? toShow(result) : result);
  }
  return known;
}

/** Returns a function that replaces errors without a code, and logs each of them once. */
function errorsToShow(id: () => string): (error: unknown) => AppError {
  const replaced = new Map<unknown, AppError>();
  return (error) => {
    if (error instanceof AppError) return error;
    let shown = replaced.get(error);
    if (!shown) {
      logger.error({ requestId: id(), err: loggedError(error) });
      shown = unexpected(error);
      replaced.set(error, shown);
    }
    return shown;
  };
}

function lineOf(index: number, result: LineResult, helpUrl: string | undefined): string {
  return `${JSON.stringify({ index, ...(result instanceof AppError ? errorBody(result, helpUrl) : result) })}\n`;
}

async function write(response: Response, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const done = new AbortController();
  const events = ['drain', 'close'].map((event) => once(response, event, { signal: done.signal }));
  await Promise.race(events).finally(() => done.abort());
}
