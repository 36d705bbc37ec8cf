import { InvalidTransition, NotFound } from '@passwright/core';
import type { MessageRow } from './message.entity.js';

/** 404: the account has no message with this id. */
export class MessageNotFound extends NotFound {
  constructor(messageId: string) {
    super(`There is no message "${messageId.slice(0, 64)}"; GET /v1/messages lists those there are.`);
  }
}

/** 409: the message has ended. */
export class MessageEnded extends InvalidTransition {
  constructor({ id, status }: Pick<MessageRow, 'id' | 'status'>, step: 'paused' | 'resumed' | 'cancelled') {
    super(
      `Message "${id}" cannot be ${step}, because it is already ${status}. Messages that have ended cannot change; send ` +
        'a new one.',
    );
  }
}
