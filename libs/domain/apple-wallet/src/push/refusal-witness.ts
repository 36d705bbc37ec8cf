import type { PushAnswer } from '@passwright/core';
import type { PushedDevice } from './push-settlement.js';

/**
 * Distinguishes a rejection of all pushes of an account from a rejection of single devices. All pushes count as
 * rejected if at least two devices without earlier failures were rejected for the same reason, and no push was accepted
 * since, or before in the same run.
 */
export class RefusalWitness {
  private isTaken = false;
  private readonly refused = new Map<string | null, Set<string>>();

  /** Starts a run but keeps the rejections of earlier runs, because each run may push a single device. */
  beginRun(): this {
    this.isTaken = false;
    return this;
  }

  /** @param pushed the next page of the run. @returns the rejection, if it concerns every push */
  refusal(pushed: readonly PushedDevice[]): PushAnswer | null {
    this.isTaken ||= pushed.some(({ answer }) => answer?.outcome === 'accepted' || answer?.outcome === 'gone');
    let common: PushAnswer | null = null;
    for (const { device, answer } of pushed) {
      if (!answer || !mayMeetEveryPush(answer) || device.failures > 0 || device.badTokens > 0) continue;
      const ids = this.refused.get(answer.reason) ?? new Set();
      this.refused.set(answer.reason, ids.add(device.id));
      if (ids.size > 1) common = answer;
    }
    if (this.isTaken || common) this.refused.clear();
    return this.isTaken ? null : common;
  }

  get hasSeenRefusals(): boolean {
    return this.refused.size > 0;
  }
}

/**
 * Returns true for results that may concern every push. Tokens also seem bad if the push service or the certificate
 * belongs to another environment.
 */
function mayMeetEveryPush({ outcome }: PushAnswer): boolean {
  return outcome === 'refused' || outcome === 'invalid' || outcome === 'bad_token';
}
