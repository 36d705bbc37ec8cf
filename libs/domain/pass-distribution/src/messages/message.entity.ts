import { googleMessageOutcomes } from '@passwright/google-wallet';
import type { MessageTranslations, PassState } from '@passwright/wallet-renderers';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const messageStatuses = ['scheduled', 'sending', 'paused', 'sent', 'cancelled', 'superseded'] as const;
/** The wallets that a filter can name, as in the API. */
export const heldIn = ['walletA', 'walletB', 'none'] as const;

/** A filter for passes of a template. A pass must meet all conditions. */
export interface MessageFilter {
  readonly states: readonly PassState[];
  readonly fields: readonly { readonly key: string; readonly value: string }[];
  /** Selects passes that expire in this period. Both ends are ISO 8601 times or null. */
  readonly expiresFrom: string | null;
  readonly expiresBefore: string | null;
  /** Selects passes in one of these wallets; `none` selects passes in no wallet. Null selects all passes. */
  readonly wallets: readonly (typeof heldIn)[number][] | null;
}

/**
 * Outcomes of a message at Google for a pass.
 * - `waiting`: the message is not sent to Google yet
 * - `queue_full`: the message is not sent, because too many messages of the pass wait for Google
 */
export const googleOutcomes = ['waiting', ...googleMessageOutcomes, 'queue_full'] as const;
export type GoogleOutcome = (typeof googleOutcomes)[number];

/** The reason why a pass does not get a message. */
export type SkipReason = PassState | 'filter' | 'wallet' | 'superseded';

/** A message to the holders of one pass, or of many passes of a template, with its progress. */
@Entity('message', { synchronize: false })
export class MessageRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'template_id', type: 'text' })
  templateId!: string;

  /** Null for a message to many passes of the template. */
  @Column({ name: 'pass_id', type: 'text', nullable: true })
  passId!: string | null;

  @Column({ type: 'text', nullable: true })
  title!: string | null;

  @Column({ type: 'text' })
  text!: string;

  /** The title and the text in other languages; null if there are none. */
  @Column({ type: 'jsonb', nullable: true })
  translations!: MessageTranslations | null;

  /** The topic; a later message with the same topic replaces this message. */
  @Column({ type: 'text', nullable: true })
  topic!: string | null;

  @Column({ type: 'jsonb' })
  filter!: MessageFilter;

  /** True if the message is sent even in quiet hours. */
  @Column({ type: 'boolean' })
  urgent!: boolean;

  @Column({ type: 'text' })
  status!: (typeof messageStatuses)[number];

  /** The step of the next batch: prepare passes, or add the message. */
  @Column({ type: 'text' })
  step!: 'prepare' | 'deliver';

  /** The earliest time to add the message. */
  @Column({ name: 'send_at', type: 'timestamptz', precision: 3 })
  sendAt!: Date;

  /** The earliest time of the next batch; null for a paused or ended message. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** The last pass that this step has processed. */
  @Column({ name: 'after_pass_id', type: 'text', default: '' })
  afterPassId!: string;

  /** The number of passes that were prepared. The second preparation of a planned message counts from zero. */
  @Column({ type: 'integer', default: 0 })
  prepared!: number;

  /** The number of passes of the template that were examined. */
  @Column({ type: 'integer', default: 0 })
  passes!: number;

  /** The number of passes that have the message. */
  @Column({ type: 'integer', default: 0 })
  sent!: number;

  /** The numbers of passes with the message in Apple Wallet, in Google Wallet, and in neither. */
  @Column({ name: 'wallet_a', type: 'integer', default: 0 })
  inApple!: number;

  @Column({ name: 'wallet_b', type: 'integer', default: 0 })
  inGoogle!: number;

  @Column({ type: 'integer', default: 0 })
  neither!: number;

  /** The number of passes without the message, by reason. */
  @Column({ type: 'jsonb', default: {} })
  skipped!: Partial<Record<SkipReason, number>>;

  /** The number of passes by the outcome of the message at Google. */
  @Column({ name: 'google_outcomes', type: 'jsonb', default: {} })
  googleOutcomes!: Partial<Record<GoogleOutcome, number>>;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'started_at', type: 'timestamptz', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
