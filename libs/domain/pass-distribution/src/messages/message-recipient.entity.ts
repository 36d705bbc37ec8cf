import type { MessageTranslations } from '@passwright/wallet-renderers';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { GoogleOutcome } from './message.entity.js';

/** A pass that gets a message. The primary key prevents a pass from getting the same message twice. */
@Entity('message_recipient', { synchronize: false })
export class MessageRecipientRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'message_id', type: 'text' })
  messageId!: string;

  @PrimaryColumn({ name: 'serial_number', type: 'text' })
  serialNumber!: string;

  @Column({ name: 'template_id', type: 'text' })
  templateId!: string;

  @Column({ name: 'pass_id', type: 'text' })
  passId!: string;

  /** True if the pass was in Apple Wallet. */
  @Column({ name: 'wallet_a', type: 'boolean' })
  isInApple!: boolean;

  /** True if the pass was in Google Wallet. */
  @Column({ name: 'wallet_b', type: 'boolean' })
  isInGoogle!: boolean;

  /** The outcome of the message at Google; null if the pass has no object at Google. */
  @Column({ name: 'google_outcome', type: 'text', nullable: true })
  googleOutcome!: GoogleOutcome | null;

  @Column({ name: 'sent_at', type: 'timestamptz', precision: 3 })
  sentAt!: Date;
}

/** A message that a pass got. */
export interface ReceivedMessage {
  readonly id: string;
  readonly title: string | null;
  readonly text: string;
  readonly translations: MessageTranslations | null;
  readonly topic: string | null;
  readonly sentAt: Date;
}
