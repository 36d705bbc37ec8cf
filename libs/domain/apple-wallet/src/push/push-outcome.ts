import type { PushResult } from '@passwright/core';
import { nextLookSeconds, pauseSeconds, type PushPacing } from './push-pacing.js';
import { failuresAfter, pushRetryPolicy } from './push-retry-policy.js';

/** A claim reserves pages of devices for one process, which sends them pushes. */
export interface PushClaim {
  /** The number of the claim. The pushes of the claim have the same number. */
  readonly claim: string;
  readonly claimedAt: Date;
}

/** A claimed device and the state of its earlier pushes. */
export interface ClaimedDevice extends PushClaim {
  readonly id: string;
  readonly pushToken: string;
  /**
   * The incarnation of the database at the time of the claim. A restore begins a new incarnation, in which claim
   * numbers repeat.
   */
  readonly incarnation: string | null;
  /** The time of the previous push. */
  readonly pushedAt: Date | null;
  /** Number of accepted pushes since a change marked the device as due. */
  readonly attempts: number;
  readonly failures: number;
  readonly badTokens: number;
}

/**
 * A device and the result of its push. The result is null if no push was sent because the push service had already
 * rejected the sender.
 */
export interface PushedDevice {
  readonly device: ClaimedDevice;
  readonly result: PushResult | null;
}

/**
 * Pushed devices with their push tokens and the ids that the push service gave to the pushes, as arrays for a
 * statement.
 */
export interface PushedTokens {
  readonly ids: string[];
  readonly pushTokens: string[];
  readonly pushIds: (string | null)[];
}

/** The values to write for a device after its push. They are equal for most devices of a claim. */
export interface DeviceOutcome {
  readonly claim: string;
  /** The time of the push; null if nothing was sent. */
  readonly pushedAt: Date | null;
  readonly status: number | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly failures: number;
  readonly badTokens: number;
  /** When to check the device next. */
  readonly dueAt: Date | null;
  readonly pace: Pace;
}

/** The effect of a push on the pacing of later pushes. */
export interface Pace {
  /** 1 if the push counts towards the limit of pushes, otherwise 0. */
  readonly counts: number;
  readonly perHour: number;
  readonly burst: number;
  /** When the next push is allowed. `notBeforeAfterBurst` applies instead if this push exceeded the burst. */
  readonly notBefore: Date | null;
  readonly notBeforeAfterBurst: Date | null;
}

/** A device to delete if it has not registered for a pass since `registeredBefore`. */
export interface DeviceRemoval {
  readonly id: string;
  readonly pushToken: string;
  readonly registeredBefore: Date;
  readonly reason: 'gone' | 'bad_token' | 'silent';
}

const after = (date: Date, seconds: number) => new Date(date.getTime() + Math.round(seconds * 1000));

/**
 * Returns the values to write for a device after its push.
 * @param random the random part of the pause after a failure; devices that fail together share it
 */
export function outcomeOf(
  device: ClaimedDevice,
  result: PushResult,
  now: Date,
  pacing: PushPacing,
  random?: number,
): DeviceOutcome {
  const { claim, claimedAt, attempts, failures } = device;
  const { status, reason } = result;
  const pushed = { claim, pushedAt: claimedAt, status, reason, attempts, failures };
  switch (result.outcome) {
    case 'off':
      return {
        ...pushed,
        pushedAt: null,
        status: null,
        badTokens: device.badTokens,
        dueAt: null,
        pace: paceOf(null, pacing),
      };
    case 'credential_rejected':
      return { ...pushed, badTokens: device.badTokens, dueAt: now, pace: paceOf(null, pacing) };
    case 'accepted':
      return { ...pushed, ...accepted(device, pacing) };
    case 'bad_token':
      // Plan no retry before the next change, because the push service would reject the same token again.
      return { ...pushed, badTokens: device.badTokens + 1, dueAt: null, pace: paceOf(null, pacing) };
    case 'invalid':
      // Plan no retry before the next change, because it would have the same result.
      return { ...pushed, badTokens: 0, dueAt: null, pace: paceOf(null, pacing) };
    case 'gone':
    case 'rejected':
    case 'retry':
      return { ...pushed, ...failed(device, result, now, pacing, random) };
  }
}

/** Returns the removal of a device that is gone or has a bad token; null for a device that stays registered. */
export function removalOf(device: ClaimedDevice, result: PushResult | null): DeviceRemoval | null {
  const { id, pushToken } = device;
  if (result?.outcome === 'gone') {
    return { id, pushToken, registeredBefore: result.goneSince ?? device.claimedAt, reason: 'gone' };
  }
  // Remove the device after a second consecutive rejection. The first was for an earlier change.
  if (result?.outcome === 'bad_token' && device.badTokens > 0 && device.pushedAt) {
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

/**
 * Returns the outcome of a push that was not delivered. It does not count towards the limit. Plans a retry unless there
 * were too many failures.
 */
function failed(device: ClaimedDevice, response: PushResult, now: Date, pacing: PushPacing, random?: number) {
  const failures = failuresAfter(device.failures, response.status !== null);
  const again = after(now, pushRetryPolicy.pauseSeconds(failures, response.retryAfterSeconds, random));
  return {
    failures,
    badTokens: 0,
    dueAt: pushRetryPolicy.isGivenUp(failures) ? null : again,
    pace: paceOf(again, pacing),
  };
}

/** Returns the pace after a push that does not count towards the limit. */
function paceOf(notBefore: Date | null, { perHour, burst }: PushPacing): Pace {
  return { counts: 0, perHour, burst, notBefore, notBeforeAfterBurst: notBefore };
}
