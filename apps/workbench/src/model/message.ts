import type { MessageResponse, TemplateMessageRequest } from '@passwright/client';

export type MessageStatus = MessageResponse['status'];
export type PassState = MessageResponse['filter']['states'][number];
export type HeldIn = NonNullable<MessageResponse['filter']['wallets']>[number];

/** The states of passes, in the order of the form. */
export const passStates: readonly (readonly [PassState, string])[] = [
  ['valid', 'Valid'],
  ['not_yet_valid', 'Not valid yet'],
  ['expired', 'Expired'],
  ['redeemed', 'Redeemed'],
  ['voided', 'Void'],
];
/** The wallets that a holder may have a pass in. */
export const heldIn: readonly (readonly [HeldIn, string])[] = [
  ['walletA', 'Apple Wallet'],
  ['walletB', 'Google Wallet'],
  ['none', 'No wallet'],
];

/** The texts that a person types to send a message. */
export interface MessageInput {
  readonly title: string;
  readonly text: string;
  readonly topic: string;
  /** A time of the API; empty for now. */
  readonly sendAt: string;
  readonly urgent: boolean;
  readonly states: readonly PassState[];
  readonly wallets: readonly HeldIn[];
  /** Times of the API; empty for no limit. */
  readonly expiresFrom: string;
  readonly expiresBefore: string;
  /** A field that the passes must have; an empty key asks for none. */
  readonly fieldKey: string;
  readonly fieldValue: string;
}

export const emptyMessage: MessageInput = {
  title: '',
  text: '',
  topic: '',
  sendAt: '',
  urgent: false,
  states: ['valid', 'not_yet_valid'],
  wallets: ['walletA', 'walletB', 'none'],
  expiresFrom: '',
  expiresBefore: '',
  fieldKey: '',
  fieldValue: '',
};

/** Returns the body of a message to one pass. Leaves out what is empty. */
export function passMessageOf({ title, text, topic, sendAt, urgent }: MessageInput): TemplateMessageRequest {
  return {
    ...(title !== '' && { title }),
    text,
    ...(topic !== '' && { topic }),
    ...(sendAt !== '' && { sendAt }),
    ...(urgent && { urgent }),
  };
}

/** Returns the body of a message to the passes of a template. A filter that all passes match is left out. */
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

/** The reasons why passes do not have a message, in words. */
const reasons: Readonly<Record<string, string>> = {
  valid: 'valid, which the filter leaves out',
  not_yet_valid: 'not valid yet, which the filter leaves out',
  expired: 'expired',
  redeemed: 'redeemed',
  voided: 'void',
  filter: 'with other fields or another expiry',
  wallet: 'in other wallets',
};

/** Returns the reason why passes do not have a message, in words. */
export function reasonInWords(reason: string): string {
  return reasons[reason] ?? reason;
}

/** Returns the steps that a message in this status allows. */
export function stepsOf(status: MessageStatus): readonly ('pause' | 'resume' | 'cancel')[] {
  if (status === 'scheduled' || status === 'sending') return ['pause', 'cancel'];
  return status === 'paused' ? ['resume', 'cancel'] : [];
}

/** The tone in which a status is shown. */
export const messageTones = {
  scheduled: 'waiting',
  sending: 'waiting',
  paused: 'waiting',
  sent: 'good',
  cancelled: 'ended',
  superseded: 'plain',
} as const satisfies Record<MessageStatus, string>;
