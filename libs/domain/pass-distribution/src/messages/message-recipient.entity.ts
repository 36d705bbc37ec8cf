import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A pass that has a message. The key lets each pass get a message once. */
@Entity('message_recipient')
export class MessageRecipientRow {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  messageId!: string;

  @PrimaryColumn({ type: 'text' })
  serialNumber!: string;

  @Column({ type: 'text' })
  templateId!: string;

  @Column({ type: 'text' })
  passId!: string;

  /** True if the pass was in Apple Wallet. */
  @Column({ type: 'boolean' })
  walletA!: boolean;

  /** True if the pass was in Google Wallet. */
  @Column({ type: 'boolean' })
  walletB!: boolean;

  @Column({ type: 'timestamptz', precision: 3 })
  sentAt!: Date;
}

/** A message that a pass has. */
export interface ReceivedMessage {
  readonly id: string;
  readonly title: string | null;
  readonly text: string;
  readonly topic: string | null;
  readonly sentAt: Date;
}
