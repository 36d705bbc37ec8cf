import type { PushAnswer } from '@passwright/core';
import {
  failuresAfter,
  isGivenUp,
  nextLookSeconds,
  pauseSeconds,
  type PushPacing,
  retrySeconds,
} from './push-pacing.js';

/** A device that was taken to be pushed, and what was known of it before. */
export interface ClaimedDevice {
  readonly id: string;
  readonly pushToken: string;
  /** Until when nobody else takes it. */
  readonly lease: Date;
  readonly claimedAt: Date;
  /** The push before this one. */
  readonly pushedAt: Date | null;
  readonly pushId: string | null;
  readonly status: number | null;
  readonly reason: string | null;
  /** Pushes accepted since it was marked by a change. */
  readonly attempts: number;
  /** How many pushes it has had of late, as of `claimedAt` and as of `pushedAt`. */
  readonly score: number;
  readonly scoreBefore: number;
  readonly failures: number;
  readonly badTokens: number;
}

/** What is written of a device after its push. */
export interface Settlement {
  readonly id: string;
  readonly pushToken: string;
  readonly lease: Date;
  /** When to look at it next, unless it was marked, or fetched, in the meantime. */
  readonly dueAt: Date | null;
  readonly notBefore: Date | null;
  readonly pushedAt: Date | null;
  readonly pushId: string | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly score: number;
  readonly failures: number;
  readonly badTokens: number;
}

/** A device to be deleted, when neither it nor a pass on it was registered since. */
export interface Departure {
  readonly id: string;
  readonly pushToken: string;
  readonly registeredBefore: Date;
  readonly reason: 'gone' | 'bad_token';
}

const after = (date: Date, seconds: number) => new Date(date.getTime() + Math.round(seconds * 1000));

/** What follows from how a push ended. @param answer null when none was sent, as the push service refused one before */
export function settlementOf(
  device: ClaimedDevice,
  answer: PushAnswer | null,
  now: Date,
  pacing: PushPacing,
): Settlement {
  switch (answer?.outcome) {
    case undefined:
      return notPushed(device, { dueAt: now });
    case 'off':
      return { ...notPushed(device, { dueAt: null }), pushId: null, status: null, reason: answer.reason };
    case 'halted':
      return { ...pushed(device, answer), dueAt: now, notBefore: null, score: device.score };
    case 'accepted':
      return accepted(device, answer, pacing);
    case 'bad_token':
      return { ...failed(device, answer, now), badTokens: device.badTokens + 1 };
    case 'gone':
    case 'refused':
    case 'retry':
      return failed(device, answer, now);
  }
}

/** @returns null for a device that stays */
export function departureOf(device: ClaimedDevice, answer: PushAnswer | null): Departure | null {
  const { id, pushToken } = device;
  if (answer?.outcome === 'gone') {
    return { id, pushToken, registeredBefore: answer.goneSince ?? device.claimedAt, reason: 'gone' };
  }
  // The second in a row: the push before was the first.
  if (answer?.outcome === 'bad_token' && device.badTokens > 0 && device.pushedAt) {
    return { id, pushToken, registeredBefore: device.pushedAt, reason: 'bad_token' };
  }
  return null;
}

function accepted(device: ClaimedDevice, answer: PushAnswer, pacing: PushPacing): Settlement {
  const attempts = device.attempts + 1;
  const score = pacing.perHour === 0 ? 0 : device.score + 1;
  const look = nextLookSeconds(attempts);
  return {
    ...pushed(device, answer),
    attempts,
    score,
    dueAt: look === null ? null : after(device.claimedAt, look),
    notBefore: after(device.claimedAt, pauseSeconds(score, pacing)),
    failures: 0,
    badTokens: 0,
  };
}

/** A push that did not get through has not disturbed anybody: it counts for the pause alone, until there have been too many. */
function failed(device: ClaimedDevice, answer: PushAnswer, now: Date): Settlement {
  const failures = failuresAfter(device.failures, answer.status !== null);
  const again = after(now, retrySeconds(failures, answer.retryAfterSeconds));
  return {
    ...pushed(device, answer),
    dueAt: isGivenUp(failures) ? null : again,
    notBefore: again,
    failures,
    badTokens: 0,
  };
}

function pushed(device: ClaimedDevice, { pushId, status, reason }: PushAnswer) {
  const { id, pushToken, lease, claimedAt, attempts, score, failures, badTokens } = device;
  return { id, pushToken, lease, pushedAt: claimedAt, pushId, status, reason, attempts, score, failures, badTokens };
}

/** As if it had not been taken. */
function notPushed(device: ClaimedDevice, { dueAt }: { dueAt: Date | null }): Settlement {
  const { id, pushToken, lease, pushedAt, pushId, status, reason, attempts, scoreBefore, failures, badTokens } = device;
  const before = { pushedAt, pushId, status, reason, attempts, score: scoreBefore, failures, badTokens };
  return { id, pushToken, lease, dueAt, notBefore: null, ...before };
}
