import type { RenderType } from '@passwright/wallet-renderers';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TimelyMessage } from '@passwright/passes';
import type { StoredMessage } from '../messages/google-messages.js';

/**
 * A class of a template or an object of a pass at Google Wallet, for one issuer. The row is created at the first
 * request for a save link. It is kept forever, because Google cannot delete classes and objects.
 */
@Entity('google_resource', { synchronize: false })
export class GoogleResourceRow {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'issuer_id', type: 'text' })
  issuerId!: string;

  /** The id without the issuer. The full id at Google is `<issuerId>.<id>`. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ name: 'template_id', type: 'text' })
  templateId!: string;

  @Column({ type: 'text' })
  type!: RenderType;

  /** The serial number of the pass; null for a class. */
  @Column({ name: 'serial_number', type: 'text', nullable: true })
  serialNumber!: string | null;

  /** The hash of the content last sent to Google; null until the resource is at Google. */
  @Column({ name: 'sent_hash', type: 'bytea', nullable: true })
  sentHash!: Buffer | null;

  @Column({ name: 'sent_at', type: 'timestamptz', precision: 3, nullable: true })
  sentAt!: Date | null;

  /** How often the resource was changed. */
  @Column({ type: 'integer', default: 0 })
  changes!: number;

  /**
   * When to compare the current content with the content at Google; null if nothing has changed since the last write.
   */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /**
   * The priority in the queue: 0 for a class, 1 for an object that changed alone, 2 for an object that changed with its
   * template.
   */
  @Column({ type: 'smallint', default: 1 })
  priority!: number;

  @Column({ name: 'leased_until', type: 'timestamptz', precision: 3, nullable: true })
  leasedUntil!: Date | null;

  /**
   * The number of claims since the last recorded result. More than one means that a process crashed with the claim or
   * lost its database connection.
   */
  @Column({ name: 'open_claims', type: 'smallint', default: 0 })
  openClaims!: number;

  @Column({ type: 'integer', default: 0 })
  failures!: number;

  /** The last error from Google. */
  @Column({ type: 'text', nullable: true })
  problem!: string | null;

  @Column({ name: 'problem_status', type: 'integer', nullable: true })
  problemStatus!: number | null;

  /** True if Google rejected the content. It is sent again only after a change or some hours later. */
  @Column({ name: 'refused', type: 'boolean', default: false })
  rejected!: boolean;

  /** A message that a node of an earlier version has queued. The next claim moves it to `messages`. */
  @Column({ type: 'jsonb', nullable: true })
  message!: TimelyMessage | null;

  /** Messages for holders, in order: waiting messages, messages on the pass, and notifications of the last 24 hours. */
  @Column({ type: 'jsonb', nullable: true })
  messages!: readonly StoredMessage[] | null;

  /**
   * The template revision whose front fields the holders know. The next write queues messages about later changes. Null
   * before the first write that compares front fields.
   */
  @Column({ name: 'told_revision', type: 'integer', nullable: true })
  notifiedRevision!: number | null;

  /** True if no holder has requested the object yet, and it exists only because another pass links to it. */
  @Column({ name: 'is_linked', type: 'boolean', default: false })
  isLinked!: boolean;

  @Column({ type: 'integer', default: 0 })
  saves!: number;

  @Column({ type: 'integer', default: 0 })
  removals!: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
