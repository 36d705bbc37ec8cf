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

/** Answers as it is told, and keeps what it was asked to push. */
export class ScriptedPush extends ApplePush {
  /** The tokens that were pushed, in their order. */
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
