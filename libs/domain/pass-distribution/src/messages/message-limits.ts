import { RateLimited } from '@passwright/core';
import type { PassAddress } from '@passwright/passes';
import type { EntityManager } from 'typeorm';
import type { MessageRow } from './message.entity.js';
import type { MessageRoom, MessagesRepository } from './messages.repository.js';

/** Maximum number of messages of an account that have not been sent yet. */
const MOST_OPEN = 100;
/**
 * Maximum numbers of messages to one pass in 24 hours. `all` also counts messages that were replaced or cancelled
 * before they were sent; `sent` does not.
 */
const MOST_OF_PASS: MessageRoom = { sent: 100, all: 1000 };
/**
 * Maximum numbers of messages to many passes in 24 hours: `sent` per template, `all` per account. `all` also counts
 * messages that were replaced or cancelled before they were sent; `sent` does not.
 */
const MOST_TO_MANY: MessageRoom = { sent: 100, all: 1000 };
const dayMs = 24 * 3_600_000;

/**
 * Checks that a locked pass may get another message. @throws RateLimited if too many messages of the account are
 * unsent, or if the pass had too many messages in 24 hours
 */
export async function requireRoomOfPass(
  tx: EntityManager,
  messages: MessagesRepository,
  address: PassAddress,
  now: Date,
): Promise<void> {
  const since = new Date(now.getTime() - dayMs);
  const { sent, all } = MOST_OF_PASS;
  requireNotFull(
    await messages.fullSince(tx, address, since, MOST_OF_PASS),
    since,
    `A pass can get ${sent} messages of its own in 24 hours, or ${all} with replaced and cancelled ones; send fewer.`,
  );
  await requireFewOpen(tx, messages, address.accountId, 1);
}

/**
 * Checks that a template may have another message to many passes. Call `lockToMany` first.
 * @throws RateLimited if too many messages of the account are unsent, or if the template or the account had too many in
 * 24 hours
 */
export async function requireRoomOfTemplate(
  tx: EntityManager,
  messages: MessagesRepository,
  template: Pick<MessageRow, 'accountId' | 'templateId'>,
  now: Date,
): Promise<void> {
  await requireFewOpen(tx, messages, template.accountId, 1);
  const since = new Date(now.getTime() - dayMs);
  const { sent, all } = MOST_TO_MANY;
  requireNotFull(
    await messages.fullSince(tx, { ...template, passId: null }, since, MOST_TO_MANY),
    since,
    `A template can have ${sent} messages to many passes in 24 hours, and an account ${all} with replaced and ` +
      'cancelled ones; send fewer, with filters that select more passes.',
  );
}

/**
 * Checks the limit of unsent messages, including the message that `tx` has inserted. Waits for other transactions that plan
 * messages, so call it last. @throws RateLimited
 */
export async function requireFewPlanned(
  tx: EntityManager,
  messages: MessagesRepository,
  accountId: string,
): Promise<void> {
  await messages.lockCount(tx, accountId);
  await requireFewOpen(tx, messages, accountId, 0);
}

/** @param further the number of messages that are still to be inserted */
async function requireFewOpen(
  tx: EntityManager,
  messages: MessagesRepository,
  accountId: string,
  further: 0 | 1,
): Promise<void> {
  if ((await messages.countOpen(tx, accountId, MOST_OPEN + 1)) + further <= MOST_OPEN) return;
  throw new RateLimited(
    `${MOST_OPEN} messages of the account are not sent yet; wait until some are sent, or cancel some.`,
    60,
  );
}

/**
 * @param fullSince the time of the oldest message that counts towards a reached limit; null if the limit is not
 * reached.
 * @throws RateLimited
 */
function requireNotFull(fullSince: Date | null, since: Date, message: string): void {
  if (fullSince) throw new RateLimited(message, Math.ceil((fullSince.getTime() - since.getTime()) / 1000));
}
