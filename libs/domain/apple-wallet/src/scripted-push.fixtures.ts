import { randomUUID } from 'node:crypto';
import { ApplePush, type PushResult } from '@passwright/core';

const responded: PushResult = {
  outcome: 'accepted',
  pushId: null,
  status: 200,
  reason: null,
  goneSince: null,
  retryAfterSeconds: null,
};

/** A push service that gives scripted results and records the pushes. */
export class ScriptedPush extends ApplePush {
  /** The push tokens of all pushes, in order. */
  readonly pushed: string[] = [];
  result: (pushToken: string) => Promise<Partial<PushResult>> | Partial<PushResult> = () => ({});

  pushAll(_accountId: string, pushTokens: readonly string[]): Promise<PushResult[]> {
    this.pushed.push(...pushTokens);
    return Promise.all(
      pushTokens.map(async (token) => ({ ...responded, pushId: randomUUID(), ...(await this.result(token)) })),
    );
  }

  count(pushToken: string): number {
    return this.pushed.filter((token) => token === pushToken).length;
  }
}
