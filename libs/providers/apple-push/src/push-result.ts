import type { PushResult, PushOutcome } from '@passwright/core';

/** The reason why pushes end without a response. */
export interface Problem {
  readonly outcome: Extract<PushOutcome, 'retry' | 'credential_rejected'>;
  readonly reason: string;
}

/** Returns the result of a push that got no response. */
export function withoutResponse(
  outcome: Exclude<PushOutcome, 'accepted' | 'gone'>,
  reason: string,
  retryAfterSeconds: number | null = null,
): PushResult {
  return { outcome, pushId: null, status: null, reason, goneSince: null, retryAfterSeconds };
}
