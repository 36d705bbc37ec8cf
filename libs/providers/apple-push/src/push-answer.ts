import type { PushAnswer, PushOutcome } from '@passwright/core';

/** Why pushes end without an answer of the push service. */
export interface Fault {
  readonly outcome: Extract<PushOutcome, 'retry' | 'halted'>;
  readonly reason: string;
}

/** A push that the push service did not answer. */
export function unanswered(
  outcome: Exclude<PushOutcome, 'accepted' | 'gone'>,
  reason: string,
  retryAfterSeconds: number | null = null,
): PushAnswer {
  return { outcome, pushId: null, status: null, reason, goneSince: null, retryAfterSeconds };
}
