import type { ApplePush, PushAnswer } from '@passwright/core';
import { pageSize } from './push-page.entity.js';
import type { ClaimedPage } from './push-queue.repository.js';
import type { ClaimedDevice } from './push-settlement.js';
import type { RefusalWitness } from './refusal-witness.js';

/** A device and how its push ended; null when none was sent, as the push service refused the sender before. */
export interface PushedDevice {
  readonly device: ClaimedDevice;
  readonly answer: PushAnswer | null;
}

/** Pushes a page of devices. Once the push service refuses the sender, the rest is not sent. */
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

/** What one run does with pages. */
export interface PageSteps {
  readonly claim: (size: number) => Promise<ClaimedPage>;
  readonly push: (devices: readonly ClaimedDevice[]) => Promise<PushedDevice[]>;
  readonly record: (pushed: readonly PushedDevice[]) => Promise<void>;
  readonly mayContinue: () => boolean;
  readonly now: () => Date;
  readonly witness: RefusalWitness;
}

const largestClaim = 1000;
/** What is claimed is to be pushed within so many seconds: long before the claim ends, however slow the push service is. */
const pageSeconds = 5;
/** Before a push service that cannot be reached is tried again. */
const shortestPauseSeconds = 2;

/** What ended a run, besides that there was nothing left to do. */
export interface RunEnd {
  /** The push service refuses the sender. */
  readonly refusal: PushAnswer | null;
  /** Until it may be there again; 0 unless it could not be reached at all. */
  readonly pauseSeconds: number;
}

/**
 * Pushes page after page: while one is on its way, the next is claimed and the one before is recorded, so that at most
 * three are held, however many devices are due. Ends when nothing is due, when it may not continue, or when the push
 * service refuses the sender or cannot be reached. When something fails, the page that is on its way is recorded first.
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
    // A page that was claimed in the meantime is given back.
    pushed = isOver ? [...outcomes, ...next.map(givenBack)] : outcomes;
    page = isOver ? [] : next;
  }
  return end;
}

const givenBack = (device: ClaimedDevice): PushedDevice => ({ device, answer: null });

/** Waits for all of them, also when one fails. */
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

/** Returns what is to be recorded of pushes, and the refusal of every push, if there is one. */
export function judged(
  pushed: readonly PushedDevice[],
  witness: RefusalWitness,
): { outcomes: readonly PushedDevice[]; refusal: PushAnswer | null } {
  const refusal = witness.refusal(pushed);
  if (!refusal) return { outcomes: pushed, refusal };
  return { outcomes: pushed.map(({ device, answer }) => ({ device, answer: heldAgainstNone(answer) })), refusal };
}

/** While every push is refused, no push and no token is at fault by itself: it is sent again when pushes are taken again. */
export function heldAgainstNone<Answer extends PushAnswer | null>(answer: Answer): Answer {
  const isHeld = answer?.outcome === 'invalid' || answer?.outcome === 'bad_token';
  return isHeld ? { ...answer, outcome: 'refused' } : answer;
}

/** A second time when it fails: a connection to the database may be lost, and another one work. */
function recordTwice(record: PageSteps['record'], pushed: readonly PushedDevice[]): Promise<void> {
  return record(pushed).catch(() => record(pushed));
}

/** @param common the refusal of every push, if there is one */
function endOf(pushed: readonly PushedDevice[], common: PushAnswer | null): RunEnd {
  const answers = pushed.flatMap(({ answer }) => answer ?? []);
  const refusal = answers.find(({ outcome }) => outcome === 'halted') ?? common;
  const isUnreachable = answers.every(({ outcome, status }) => outcome === 'retry' && status === null);
  const pauses = answers.map(({ retryAfterSeconds }) => retryAfterSeconds ?? shortestPauseSeconds);
  return { refusal, pauseSeconds: isUnreachable ? Math.max(shortestPauseSeconds, ...pauses) : 0 };
}

/** The next devices to push: pages that hold none, as all their devices are up to date, are passed over. */
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
