import type { PushAnswer } from '@passwright/core';
import type { PushedDevice } from './push-run.js';

/**
 * Tells a refusal of every push from that of single devices: no push of the run was taken, and two devices at least, which
 * had no failure before, were refused for the same reason.
 */
export class RefusalWitness {
  private isTaken = false;
  private readonly refused = new Map<string | null, number>();

  /** @param pushed the next page of the run. @returns the refusal, if it is one of every push */
  refusal(pushed: readonly PushedDevice[]): PushAnswer | null {
    this.isTaken ||= pushed.some(({ answer }) => answer?.outcome === 'accepted' || answer?.outcome === 'gone');
    let common: PushAnswer | null = null;
    for (const { device, answer } of pushed) {
      if ((answer?.outcome !== 'refused' && answer?.outcome !== 'invalid') || device.failures > 0) continue;
      const count = (this.refused.get(answer.reason) ?? 0) + 1;
      this.refused.set(answer.reason, count);
      if (count > 1) common = answer;
    }
    return this.isTaken ? null : common;
  }
}
