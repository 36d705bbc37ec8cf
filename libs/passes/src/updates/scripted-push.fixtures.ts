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

  async push(_accountId: string, pushToken: string): Promise<PushAnswer> {
    this.pushed.push(pushToken);
    return { ...answered, pushId: randomUUID(), ...(await this.answer(pushToken)) };
  }

  count(pushToken: string): number {
    return this.pushed.filter((token) => token === pushToken).length;
  }
}
