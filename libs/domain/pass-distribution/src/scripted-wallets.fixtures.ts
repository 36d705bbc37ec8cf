import { randomUUID } from 'node:crypto';
import { ApplePush, type PushResult } from '@passwright/core';

export { ScriptedGoogle } from '@passwright/google-wallet/testing';

/** A push service that accepts everything. */
export class AcceptingPush extends ApplePush {
  pushAll(_accountId: string, pushTokens: readonly string[]): Promise<PushResult[]> {
    const accepted = {
      outcome: 'accepted',
      status: 200,
      reason: null,
      goneSince: null,
      retryAfterSeconds: null,
    } as const;
    return Promise.resolve(pushTokens.map(() => ({ ...accepted, pushId: randomUUID() })));
  }
}
