import { randomUUID } from 'node:crypto';
import { ApplePush, type PushAnswer } from '@passwright/core';

const answered: PushAnswer = {
  outcome: 'accepted',
  pushId: null,
  status: 200,
  reason: null,
  goneSince: null,
  retryAfterSeconds: null,
};

/** A push service that gives scripted results and records the pushes. */
export class ScriptedPush extends ApplePush {
  /** The pushed tokens in order. */
  readonly pushed: string[] = [];
  answer: (pushToken: string) => Promise<Partial<PushAnswer>> | Partial<PushAnswer> = () => ({});

  pushAll(_accountId: string, pushTokens: readonly string[]): Promise<PushAnswer[]> {
    this.pushed.push(...pushTokens);
    return Promise.all(
      pushTokens.map(async (token) => ({ ...answered, pushId: randomUUID(), ...(await this.answer(token)) })),
    );
  }

  count(pushToken: string): number {
    return this.pushed.filter((token) => token === pushToken).length;
  }
}
