import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { type EndedMessage, GoogleMessageListener } from '@passwright/google-wallet';
import type { EntityManager } from 'typeorm';
import { MessageRecipientsRepository, type SettledRecipient } from './message-recipients.repository.js';
import type { GoogleOutcome } from './message.entity.js';
import { isMessageId, MessagesRepository } from './messages.repository.js';

/** Stores and counts the outcomes of messages at Google. */
@Injectable()
@Listens(GoogleMessageListener)
export class MessageOutcomesListener extends GoogleMessageListener {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly recipients: MessageRecipientsRepository,
  ) {
    super();
  }

  override async messagesEnded(tx: EntityManager, ended: readonly EndedMessage[]): Promise<void> {
    // Google also reports outcomes of messages about changes and of messages from other libs.
    const own = ended.filter(({ messageId }) => isMessageId(messageId));
    const [first] = own;
    if (!first) return;
    const { accountId } = first;
    const ids = [...new Set(own.map(({ messageId }) => messageId))];
    const counts = await this.messages.lockOutcomes(tx, accountId, ids);
    const settled = await this.recipients.settle(tx, accountId, own);
    for (const [id, before] of counts) {
      const changes = settled.filter(({ messageId }) => messageId === id);
      if (changes.length > 0) await this.messages.setOutcomes(tx, { accountId, id }, recounted(before, changes));
    }
  }
}

type Counts = Partial<Record<GoogleOutcome, number>>;

function recounted(before: Counts, changes: readonly SettledRecipient[]): Counts {
  const counts = { ...before };
  for (const { was, outcome } of changes) {
    if (was) counts[was] = (counts[was] ?? 0) - 1;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
