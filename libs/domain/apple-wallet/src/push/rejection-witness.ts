import type { PushResult } from '@passwright/core';
import type { PushedDevice } from './push-outcome.js';

/**
 * Detects that the push service rejects all pushes of an account, and not only single devices. The proof is that at
 * least two devices without earlier failures were rejected for the same reason, and that no push was accepted in the
 * same slice or later.
 */
export class RejectionWitness {
  private isTaken = false;
  private readonly rejected = new Map<string | null, Set<string>>();

  /**
   * Starts a time slice. Forgets accepted pushes but keeps rejections, because a slice may push to only one device and
   * detection needs two.
   */
  beginSlice(): this {
    this.isTaken = false;
    return this;
  }

  /**
   * @param pushed the next batch of the slice.
   * @returns the rejection, if it concerns every push
   */
  rejection(pushed: readonly PushedDevice[]): PushResult | null {
    this.isTaken ||= pushed.some(({ result }) => result?.outcome === 'accepted' || result?.outcome === 'gone');
    let common: PushResult | null = null;
    for (const { device, result } of pushed) {
      if (!result || !mayMeetEveryPush(result) || device.failures > 0 || device.badTokens > 0) continue;
      const ids = this.rejected.get(result.reason) ?? new Set();
      this.rejected.set(result.reason, ids.add(device.id));
      if (ids.size > 1) common = result;
    }
    if (this.isTaken || common) this.rejected.clear();
    return this.isTaken ? null : common;
  }

  get hasSeenRejections(): boolean {
    return this.rejected.size > 0;
  }
}

/**
 * Returns true for results that may concern every push. A bad token may, because all tokens seem bad if the certificate
 * belongs to another environment.
 */
function mayMeetEveryPush({ outcome }: PushResult): boolean {
  return outcome === 'rejected' || outcome === 'invalid' || outcome === 'bad_token';
}
