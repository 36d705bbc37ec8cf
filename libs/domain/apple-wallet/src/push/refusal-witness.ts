import type { PushAnswer } from '@passwright/core';
import type { PushedDevice } from './push-run.js';

/**
 * Tells a refusal of every push of an account from that of single devices: two devices at least, which had no failure
 * before, were refused for the same reason, and no push was accepted since, nor before in the run.
 */
export class RefusalWitness {
  private isTaken = false;
  private readonly refused = new Map<string | null, Set<string>>();

  /** Remembers what runs before have seen, as each may push one device alone. */
  beginRun(): this {
    this.isTaken = false;
    return this;
  }

  /** @param pushed the next page of the run. @returns the refusal, if it is one of every push */
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

/** Tokens seem bad, too, when the push service or the certificate is of another environment. */
function mayMeetEveryPush({ outcome }: PushAnswer): boolean {
  return outcome === 'refused' || outcome === 'invalid' || outcome === 'bad_token';
}
