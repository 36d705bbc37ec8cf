import type { ApplePush, PushResult } from '@passwright/core';
import { pageSize } from './push-page.entity.js';
import type { ClaimedPage } from './push-queue.repository.js';
import type { ClaimedDevice, PushedDevice } from './push-outcome.js';
import type { RejectionWitness } from './rejection-witness.js';

/** Sends pushes to a batch of devices. Stops sending once the push service rejects the sender. */
export async function pushAll(
  push: ApplePush,
  accountId: string,
  devices: readonly ClaimedDevice[],
): Promise<PushedDevice[]> {
  if (devices.length === 0) return [];
  const results = await push.pushAll(
    accountId,
    devices.map(({ pushToken }) => pushToken),
  );
  return devices.map((device, index) => ({ device, result: results[index] ?? null }));
}

/** The steps of one time slice, which sends pushes to one batch of devices after another. */
export interface PageSteps {
  readonly claim: (size: number) => Promise<ClaimedPage>;
  readonly push: (devices: readonly ClaimedDevice[]) => Promise<PushedDevice[]>;
  readonly record: (pushed: readonly PushedDevice[]) => Promise<void>;
  readonly mayContinue: () => boolean;
  readonly now: () => Date;
  readonly witness: RejectionWitness;
}

const largestClaim = 1000;
/** Maximum time to send the pushes of one batch, in seconds. It is well below the lease of a claim. */
const pageSeconds = 5;
/** The minimum pause in seconds before the next attempt to reach the push service. */
const shortestPauseSeconds = 2;

/** The reason why a slice ended. Without a rejection and a pause, all pushes are done or the time is over. */
export interface PushSliceEnd {
  /** The result of a push that shows that the push service rejects the sender; null if there is none. */
  readonly rejection: PushResult | null;
  /** Seconds to wait if the push service was unreachable; otherwise 0. */
  readonly pauseSeconds: number;
}

/**
 * Sends the pushes of one batch after another. Meanwhile, claims the next batch and records the previous one, so that
 * at most three batches are in memory. Ends when nothing is due, when `mayContinue` returns false, or when the push
 * service rejects the sender or is unreachable. After a failed step, records the current batch before it throws.
 */
export async function pushPages({ claim, push, record, mayContinue, now, witness }: PageSteps): Promise<PushSliceEnd> {
  let size = pageSize;
  let end: PushSliceEnd = { rejection: null, pauseSeconds: 0 };
  let page = await nextPage(claim, size, mayContinue);
  let pushed: readonly PushedDevice[] = [];
  while (page.length > 0 || pushed.length > 0) {
    const begunAt = now().getTime();
    const { results, next, failure } = await allOf(
      timed(push(page), () => (size = fittingSize(page.length, now().getTime() - begunAt, size))),
      page.length > 0 ? nextPage(claim, size, mayContinue) : Promise.resolve([]),
      recordTwice(record, pushed),
    );
    if (failure) {
      await recordTwice(record, [...results, ...next.map(givenBack)]);
      throw failure.reason;
    }
    const { outcomes, rejection } = judged(results, witness);
    if (results.length > 0) end = endOf(results, rejection);
    const isOver = end.rejection !== null || end.pauseSeconds > 0;
    // Release a batch that was claimed in the meantime.
    pushed = isOver ? [...outcomes, ...next.map(givenBack)] : outcomes;
    page = isOver ? [] : next;
  }
  return end;
}

const givenBack = (device: ClaimedDevice): PushedDevice => ({ device, result: null });

/** Waits for all promises, even if one fails. */
async function allOf(
  pushing: Promise<PushedDevice[]>,
  claiming: Promise<readonly ClaimedDevice[]>,
  recording: Promise<void>,
): Promise<{
  results: readonly PushedDevice[];
  next: readonly ClaimedDevice[];
  failure: PromiseRejectedResult | undefined;
}> {
  const [results, next, recorded] = await Promise.allSettled([pushing, claiming, recording]);
  return {
    results: results.status === 'fulfilled' ? results.value : [],
    next: next.status === 'fulfilled' ? next.value : [],
    failure: [results, next, recorded].find((result) => result.status === 'rejected'),
  };
}

/** Returns the results to record, and the rejection if the push service rejects every push of the account. */
export function judged(
  pushed: readonly PushedDevice[],
  witness: RejectionWitness,
): { outcomes: readonly PushedDevice[]; rejection: PushResult | null } {
  const rejection = witness.rejection(pushed);
  if (!rejection) return { outcomes: pushed, rejection };
  return { outcomes: pushed.map(({ device, result }) => ({ device, result: heldAgainstNone(result) })), rejection };
}

/** Turns a rejection into a retry while every push is rejected, because no single push or token is at fault. */
export function heldAgainstNone<ApiResponse extends PushResult | null>(response: ApiResponse): ApiResponse {
  const isHeld = response?.outcome === 'invalid' || response?.outcome === 'bad_token';
  return isHeld ? { ...response, outcome: 'rejected' } : response;
}

/** Records results. Tries again once, because the second attempt may get a working database connection. */
function recordTwice(record: PageSteps['record'], pushed: readonly PushedDevice[]): Promise<void> {
  return record(pushed).catch(() => record(pushed));
}

/**
 * Returns the reason to end the slice after this batch. Without a rejection and a pause, the slice continues.
 * @param common the rejection that concerns every push, or null
 */
function endOf(pushed: readonly PushedDevice[], common: PushResult | null): PushSliceEnd {
  const denied = pushed.find(({ result }) => result?.outcome === 'credential_rejected')?.result ?? null;
  const isUnreachable = pushed.every(({ result }) => !result || (result.outcome === 'retry' && result.status === null));
  if (!isUnreachable) return { rejection: denied ?? common, pauseSeconds: 0 };
  const pauses = pushed.flatMap(({ result }) => (result ? (result.retryAfterSeconds ?? shortestPauseSeconds) : []));
  return { rejection: denied ?? common, pauseSeconds: Math.max(shortestPauseSeconds, ...pauses) };
}

/** Returns the next devices to push. Skips batches whose devices are all up to date. */
async function nextPage(
  claim: PageSteps['claim'],
  size: number,
  mayContinue: PageSteps['mayContinue'],
): Promise<readonly ClaimedDevice[]> {
  while (mayContinue()) {
    const { looked, devices } = await claim(size);
    if (looked === 0 || devices.length > 0) return devices;
  }
  return [];
}

async function timed<T>(work: Promise<T>, done: () => void): Promise<T> {
  const result = await work;
  done();
  return result;
}

function fittingSize(pushed: number, tookMs: number, before: number): number {
  if (pushed === 0 || tookMs === 0) return before;
  return Math.max(pageSize, Math.min(largestClaim, Math.round((pushed / tookMs) * 1000 * pageSeconds)));
}
