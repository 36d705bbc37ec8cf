import type { ApplePush, PushAnswer } from '@passwright/core';
import { pageSize } from './push-page.entity.js';
import type { ClaimedPage } from './push-queue.repository.js';
import type { ClaimedDevice, PushedDevice } from './push-settlement.js';
import type { RefusalWitness } from './refusal-witness.js';

/** Pushes a page of devices. Stops sending once the push service rejects the sender. */
export async function pushAll(
  push: ApplePush,
  accountId: string,
  devices: readonly ClaimedDevice[],
): Promise<PushedDevice[]> {
  const answers = await push.pushAll(
    accountId,
    devices.map(({ pushToken }) => pushToken),
  );
  return devices.map((device, index) => ({ device, answer: answers[index] ?? null }));
}

/** The steps of one run over pages. */
export interface PageSteps {
  readonly claim: (size: number) => Promise<ClaimedPage>;
  readonly push: (devices: readonly ClaimedDevice[]) => Promise<PushedDevice[]>;
  readonly record: (pushed: readonly PushedDevice[]) => Promise<void>;
  readonly mayContinue: () => boolean;
  readonly now: () => Date;
  readonly witness: RefusalWitness;
}

const largestClaim = 1000;
/** How long one page may take to push: well below the lease of the claim, however slow the push service is. */
const pageSeconds = 5;
/** The pause before an unreachable push service is tried again. */
const shortestPauseSeconds = 2;

/** The reason why a run ended; empty if nothing was left to do. */
export interface RunEnd {
  /** The result with which the push service rejects the sender. */
  readonly refusal: PushAnswer | null;
  /** Seconds until the push service may be available again; 0 unless it was unreachable. */
  readonly pauseSeconds: number;
}

/**
 * Pushes page after page. While one page is being pushed, the next is claimed and the previous one is recorded, so that
 * at most three are in memory. Ends when nothing is due, when `mayContinue` returns false, or when the push service
 * rejects the sender or is unreachable. If a step fails, the page in progress is recorded first.
 */
export async function pushPages({ claim, push, record, mayContinue, now, witness }: PageSteps): Promise<RunEnd> {
  let size = pageSize;
  let end: RunEnd = { refusal: null, pauseSeconds: 0 };
  let page = await nextPage(claim, size, mayContinue);
  let pushed: readonly PushedDevice[] = [];
  while (page.length > 0 || pushed.length > 0) {
    const begunAt = now().getTime();
    const { answers, next, failure } = await allOf(
      timed(push(page), () => (size = fittingSize(page.length, now().getTime() - begunAt, size))),
      page.length > 0 ? nextPage(claim, size, mayContinue) : Promise.resolve([]),
      recordTwice(record, pushed),
    );
    if (failure) {
      await recordTwice(record, [...answers, ...next.map(givenBack)]);
      throw failure.reason;
    }
    const { outcomes, refusal } = judged(answers, witness);
    if (answers.length > 0) end = endOf(answers, refusal);
    const isOver = end.refusal !== null || end.pauseSeconds > 0;
    // Return a page that was claimed in the meantime.
    pushed = isOver ? [...outcomes, ...next.map(givenBack)] : outcomes;
    page = isOver ? [] : next;
  }
  return end;
}

const givenBack = (device: ClaimedDevice): PushedDevice => ({ device, answer: null });

/** Waits for all of them, even if one fails. */
async function allOf(
  pushing: Promise<PushedDevice[]>,
  claiming: Promise<readonly ClaimedDevice[]>,
  recording: Promise<void>,
): Promise<{
  answers: readonly PushedDevice[];
  next: readonly ClaimedDevice[];
  failure: PromiseRejectedResult | undefined;
}> {
  const [answers, next, recorded] = await Promise.allSettled([pushing, claiming, recording]);
  return {
    answers: answers.status === 'fulfilled' ? answers.value : [],
    next: next.status === 'fulfilled' ? next.value : [],
    failure: [answers, next, recorded].find((result) => result.status === 'rejected'),
  };
}

/** Returns the results to record and, if every push was rejected, that rejection. */
export function judged(
  pushed: readonly PushedDevice[],
  witness: RefusalWitness,
): { outcomes: readonly PushedDevice[]; refusal: PushAnswer | null } {
  const refusal = witness.refusal(pushed);
  if (!refusal) return { outcomes: pushed, refusal };
  return { outcomes: pushed.map(({ device, answer }) => ({ device, answer: heldAgainstNone(answer) })), refusal };
}

/** Turns a rejection into a retry while every push is rejected, because no single push or token is at fault. */
export function heldAgainstNone<Answer extends PushAnswer | null>(answer: Answer): Answer {
  const isHeld = answer?.outcome === 'invalid' || answer?.outcome === 'bad_token';
  return isHeld ? { ...answer, outcome: 'refused' } : answer;
}

/** Tries again if recording fails, because a lost database connection may be replaced by a working one. */
function recordTwice(record: PageSteps['record'], pushed: readonly PushedDevice[]): Promise<void> {
  return record(pushed).catch(() => record(pushed));
}

/** @param common the rejection of every push, if there is one */
function endOf(pushed: readonly PushedDevice[], common: PushAnswer | null): RunEnd {
  const answers = pushed.flatMap(({ answer }) => answer ?? []);
  const refusal = answers.find(({ outcome }) => outcome === 'halted') ?? common;
  const isUnreachable = answers.every(({ outcome, status }) => outcome === 'retry' && status === null);
  const pauses = answers.map(({ retryAfterSeconds }) => retryAfterSeconds ?? shortestPauseSeconds);
  return { refusal, pauseSeconds: isUnreachable ? Math.max(shortestPauseSeconds, ...pauses) : 0 };
}

/** Returns the next devices to push. Skips pages whose devices are all up to date. */
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
