import type { PushAnswer } from '@passwright/core';
import { failuresAfter, nextLookSeconds, pauseSeconds, type PushPacing, pushRetries } from './push-pacing.js';

/** A device that was claimed to be pushed, and what was known of it before. */
export interface ClaimedDevice {
  readonly id: string;
  readonly pushToken: string;
  /** The number of the claim, which is that of the push. */
  readonly claim: string;
  readonly claimedAt: Date;
  /** The push before this one. */
  readonly pushedAt: Date | null;
  /** Pushes accepted since it was marked by a change. */
  readonly attempts: number;
  readonly failures: number;
  readonly badTokens: number;
}

/** A device that was pushed, and by what the push service knows the push. */
export interface PushedToken extends Pick<ClaimedDevice, 'id' | 'pushToken'> {
  readonly pushId: string | null;
}

/** What is written of a device after its push: the same for most devices of a claim. */
export interface Settlement {
  readonly claim: string;
  /** Null when nothing was sent. */
  readonly pushedAt: Date | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly failures: number;
  readonly badTokens: number;
  /** When to look at it next. */
  readonly dueAt: Date | null;
  readonly pace: Pace;
}

/** What a push has to do with the ones that may follow. */
export interface Pace {
  /** Whether it counts: 1 or 0. */
  readonly counts: number;
  readonly perHour: number;
  readonly burst: number;
  /** Until when none follows; and when it was one too many of a burst. */
  readonly notBefore: Date | null;
  readonly notBeforeAfterBurst: Date | null;
}

/** A device to be deleted, when neither it nor a pass on it was registered since. */
export interface Departure {
  readonly id: string;
  readonly pushToken: string;
  readonly registeredBefore: Date;
  readonly reason: 'gone' | 'bad_token' | 'silent';
}

const after = (date: Date, seconds: number) => new Date(date.getTime() + Math.round(seconds * 1000));

/** What follows from how a push ended. @param random of a pause after a failure; one for all that are to have the same */
export function settlementOf(
  device: ClaimedDevice,
  answer: PushAnswer,
  now: Date,
  pacing: PushPacing,
  random?: number,
): Settlement {
  const { claim, claimedAt, attempts, failures } = device;
  const { status, reason } = answer;
  const pushed = { claim, pushedAt: claimedAt, status, reason, attempts, failures };
  switch (answer.outcome) {
    case 'off':
      return {
        ...pushed,
        pushedAt: null,
        status: null,
        badTokens: device.badTokens,
        dueAt: null,
        pace: paceOf(null, pacing),
      };
    case 'halted':
      return { ...pushed, badTokens: device.badTokens, dueAt: now, pace: paceOf(null, pacing) };
    case 'accepted':
      return { ...pushed, ...accepted(device, pacing) };
    case 'bad_token':
      // The same token would be refused again: only a later change is reason to try.
      return { ...pushed, badTokens: device.badTokens + 1, dueAt: null, pace: paceOf(null, pacing) };
    case 'invalid':
      // Sent again, it would end the same way; the next change is another push.
      return { ...pushed, badTokens: 0, dueAt: null, pace: paceOf(null, pacing) };
    case 'gone':
    case 'refused':
    case 'retry':
      return { ...pushed, ...failed(device, answer, now, pacing, random) };
  }
}

/** @returns null for a device that stays */
export function departureOf(device: ClaimedDevice, answer: PushAnswer | null): Departure | null {
  const { id, pushToken } = device;
  if (answer?.outcome === 'gone') {
    return { id, pushToken, registeredBefore: answer.goneSince ?? device.claimedAt, reason: 'gone' };
  }
  // The second in a row: the push before was the first, for an earlier change.
  if (answer?.outcome === 'bad_token' && device.badTokens > 0 && device.pushedAt) {
    return { id, pushToken, registeredBefore: device.pushedAt, reason: 'bad_token' };
  }
  return null;
}

function accepted(device: ClaimedDevice, pacing: PushPacing) {
  const attempts = device.attempts + 1;
  const look = nextLookSeconds(attempts);
  const dueAt = look === null ? null : after(device.claimedAt, look);
  const pace: Pace = {
    counts: pacing.perHour === 0 ? 0 : 1,
    perHour: pacing.perHour,
    burst: pacing.burst,
    notBefore: after(device.claimedAt, pauseSeconds(0, pacing)),
    notBeforeAfterBurst: after(device.claimedAt, pauseSeconds(pacing.burst, pacing)),
  };
  return { attempts, dueAt, failures: 0, badTokens: 0, pace };
}

/** A push that did not get through has not disturbed anybody: it counts for the pause alone, until there have been too many. */
function failed(device: ClaimedDevice, answer: PushAnswer, now: Date, pacing: PushPacing, random?: number) {
  const failures = failuresAfter(device.failures, answer.status !== null);
  const again = after(now, pushRetries.pauseSeconds(failures, answer.retryAfterSeconds, random));
  return { failures, badTokens: 0, dueAt: pushRetries.isGivenUp(failures) ? null : again, pace: paceOf(again, pacing) };
}

/** Of a push that does not count. */
function paceOf(notBefore: Date | null, { perHour, burst }: PushPacing): Pace {
  return { counts: 0, perHour, burst, notBefore, notBeforeAfterBurst: notBefore };
}
