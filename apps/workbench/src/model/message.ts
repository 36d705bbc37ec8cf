import type { MessageRecipient, MessageResponse, TemplateMessageRequest } from '@passwright/client';

export type MessageStatus = MessageResponse['status'];
export type PassState = MessageResponse['filter']['states'][number];
export type HeldIn = NonNullable<MessageResponse['filter']['wallets']>[number];

/** The states of passes with their labels, in the order of the message form. */
export const passStates: readonly (readonly [PassState, string])[] = [
  ['valid', 'Valid'],
  ['not_yet_valid', 'Not valid yet'],
  ['expired', 'Expired'],
  ['redeemed', 'Redeemed'],
  ['voided', 'Void'],
];
/** The wallets that a pass may be in. */
export const heldIn: readonly (readonly [HeldIn, string])[] = [
  ['walletA', 'Apple Wallet'],
  ['walletB', 'Google Wallet'],
  ['none', 'No wallet'],
];

/** A message in one language. An empty title means no title in this language. */
export interface MessageTexts {
  readonly title: string;
  readonly text: string;
}

/** The texts that a person types to send a message. */
export interface MessageInput {
  readonly title: string;
  readonly text: string;
  readonly topic: string;
  /** A time in the form of the API; empty means now. */
  readonly sendAt: string;
  readonly urgent: boolean;
  /** The message in other languages, by tag. A language without a text is omitted. */
  readonly translations: Readonly<Record<string, MessageTexts>>;
  readonly states: readonly PassState[];
  readonly wallets: readonly HeldIn[];
  /** Times in the form of the API; empty for no limit. */
  readonly expiresFrom: string;
  readonly expiresBefore: string;
  /** A field that the passes must have; an empty key for any pass. */
  readonly fieldKey: string;
  readonly fieldValue: string;
}

export const emptyMessage: MessageInput = {
  title: '',
  text: '',
  topic: '',
  sendAt: '',
  urgent: false,
  translations: {},
  states: ['valid', 'not_yet_valid'],
  wallets: ['walletA', 'walletB', 'none'],
  expiresFrom: '',
  expiresBefore: '',
  fieldKey: '',
  fieldValue: '',
};

/** Returns the body of a message to one pass. Leaves out empty properties. */
export function passMessageOf(input: MessageInput): TemplateMessageRequest {
  const { title, text, topic, sendAt, urgent } = input;
  const translations = Object.entries(input.translations).flatMap(([tag, own]) =>
    own.text === '' ? [] : [[tag, { text: own.text, ...(own.title !== '' && { title: own.title }) }] as const],
  );
  return {
    ...(title !== '' && { title }),
    text,
    ...(translations.length > 0 && { translations: Object.fromEntries(translations) }),
    ...(topic !== '' && { topic }),
    ...(sendAt !== '' && { sendAt }),
    ...(urgent && { urgent }),
  };
}

/** Returns the body of a message to the passes of a template. Omits a filter that all passes match. */
export function templateMessageOf(input: MessageInput): TemplateMessageRequest {
  const { states, wallets, expiresFrom, expiresBefore, fieldKey, fieldValue } = input;
  const filter = {
    ...(!isSame(states, emptyMessage.states) && { states: [...states] }),
    ...(wallets.length < heldIn.length && { wallets: [...wallets] }),
    ...(expiresFrom !== '' && { expiresFrom }),
    ...(expiresBefore !== '' && { expiresBefore }),
    ...(fieldKey !== '' && { fields: [{ key: fieldKey, value: fieldValue }] }),
  };
  return { ...passMessageOf(input), ...(Object.keys(filter).length > 0 && { filter }) };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value));
}

/** The reasons why passes were skipped, in words. */
const reasons: Readonly<Record<string, string>> = {
  valid: 'valid, which the filter leaves out',
  not_yet_valid: 'not valid yet, which the filter leaves out',
  expired: 'expired',
  redeemed: 'redeemed',
  voided: 'void',
  filter: 'with other fields or another expiry',
  wallet: 'in other wallets',
};

/** Returns the reason why passes were skipped, in words. */
export function reasonInWords(reason: string): string {
  return reasons[reason] ?? reason;
}

export type WalletBOutcome = NonNullable<MessageRecipient['walletBOutcome']>;

/** The words for each outcome of a message at Google Wallet. */
const outcomes: Readonly<Record<WalletBOutcome, string>> = {
  waiting: 'not sent to Google yet',
  notified: 'announced on the phone',
  daily_limit: 'on the pass without a notification, because Google allows three in 24 hours',
  rejected: 'rejected by Google',
  expired: 'not confirmed by Google in 30 days',
  superseded: 'replaced by a later message',
  not_at_google: 'not at Google',
  queue_full: 'not sent, because the pass has too many messages',
};

/** Returns the outcome of a message at Google Wallet in words. */
export function outcomeInWords(outcome: string): string {
  return outcomes[outcome as WalletBOutcome] ?? outcome;
}

/** Returns the tone of an outcome for display. */
export function outcomeTone(outcome: string): 'good' | 'waiting' | 'ended' {
  if (outcome === 'notified') return 'good';
  return outcome === 'waiting' || outcome === 'daily_limit' ? 'waiting' : 'ended';
}

/** Returns the steps that are possible in this status. */
export function stepsOf(status: MessageStatus): readonly ('pause' | 'resume' | 'cancel')[] {
  if (status === 'scheduled' || status === 'sending') return ['pause', 'cancel'];
  return status === 'paused' ? ['resume', 'cancel'] : [];
}

/** The tone of each status for display. */
export const messageTones = {
  scheduled: 'waiting',
  sending: 'waiting',
  paused: 'waiting',
  sent: 'good',
  cancelled: 'ended',
  superseded: 'plain',
} as const satisfies Record<MessageStatus, string>;
