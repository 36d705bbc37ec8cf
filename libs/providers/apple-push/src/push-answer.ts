import type { PushAnswer, PushOutcome } from '@passwright/core';

/** The reason why pushes end without a response. */
export interface Fault {
  readonly outcome: Extract<PushOutcome, 'retry' | 'halted'>;
  readonly reason: string;
}

/** Returns the result of a push that got no response. */
export function unanswered(
  outcome: Exclude<PushOutcome, 'accepted' | 'gone'>,
  reason: string,
  retryAfterSeconds: number | null = null,
): PushAnswer {
  return { outcome, pushId: null, status: null, reason, goneSince: null, retryAfterSeconds };
}
