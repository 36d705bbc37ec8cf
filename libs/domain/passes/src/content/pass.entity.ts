import { recordSaltSql } from '@passwright/accounts';
import type { PreparedImage } from '@passwright/images';
import type { Template } from '@passwright/templates';
import type {
  RenderAction,
  RenderField,
  RenderLocation,
  RenderMessage,
  RenderPass,
  Translations,
} from '@passwright/wallet-renderers';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { JsonRecord } from './merge-patch.js';
import type { PassGroup, StoredReference } from './pass-relations.js';

/** A message that a pass shows. A later message with the same topic replaces it. */
export interface PassMessage extends RenderMessage {
  readonly id: string;
  readonly topic: string | null;
}

/**
 * A pass of a template with its own content. Renderers merge this content into the template's. A pass is void if
 * `voidedAt` is set or its template is archived.
 */
@Entity('pass', { synchronize: false })
export class Pass implements RenderPass {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'template_id', type: 'text' })
  templateId!: string;

  /** The caller or `randomId` chooses the id. It is unique within the template. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /**
   * The type of the template. It is part of the foreign key, so that the type of a template with passes cannot change.
   */
  @Column({ name: 'template_type', type: 'text' })
  templateType!: Template['type'];

  /**
   * The identifier in wallets. It is opaque, unique in the installation and never changes; a deleted pass's identifier
   * is never used again.
   */
  @Column({ name: 'serial_number', type: 'text' })
  serialNumber!: string;

  /** The content of the barcode; unique within the template. */
  @Column({ type: 'text' })
  code!: string;

  @Column({ name: 'valid_from', type: 'timestamptz', precision: 3, nullable: true })
  validFrom!: Date | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'voided_at', type: 'timestamptz', precision: 3, nullable: true })
  voidedAt!: Date | null;

  @Column({ name: 'redeemed_at', type: 'timestamptz', precision: 3, nullable: true })
  redeemedAt!: Date | null;

  /** When the service recorded the expiry and notified the wallets; null until then. */
  @Column({ name: 'expired_at', type: 'timestamptz', precision: 3, nullable: true })
  expiredAt!: Date | null;

  /** The value for the template's `primaryLabel`, in generic templates and memberships. */
  @Column({ name: 'primary_value', type: 'text', nullable: true })
  primaryValue!: string | null;

  /** A thumbnail that replaces the template's thumbnail; only for generic templates. */
  @Column({ type: 'jsonb', nullable: true })
  thumbnail!: PreparedImage | null;

  @Column({ type: 'jsonb' })
  fields!: RenderField[];

  @Column({ name: 'back_fields', type: 'jsonb' })
  backFields!: RenderField[];

  @Column({ type: 'jsonb' })
  locations!: RenderLocation[];

  /** The language of the holder, if known. */
  @Column({ type: 'text', nullable: true })
  language!: string | null;

  /** The pass's texts in other languages. Empty after their removal, so that wallets remove them too. */
  @Column({ type: 'jsonb', nullable: true })
  translations!: Translations | null;

  /** The pass's own actions; null if it uses the actions of its template. */
  @Column({ type: 'jsonb', nullable: true })
  actions!: RenderAction[] | null;

  /** The group of passes of one holder that wallets and pages show together, if any. */
  @Column({ name: 'pass_group', type: 'jsonb', nullable: true })
  group!: PassGroup | null;

  /**
   * Links to other passes of the account for the same holder; null for no links. Some of these passes may be deleted.
   */
  @Column({ name: 'linked_passes', type: 'jsonb', nullable: true })
  linkedPasses!: StoredReference[] | null;

  /** The caller's internal data. No wallet and no public response contains it. */
  @Column({ type: 'jsonb' })
  metadata!: JsonRecord;

  /**
   * The owner of a managed pass, such as a member; null for other passes. Only the owner may void, end or delete the
   * pass, or name its holder.
   */
  @Column({ name: 'follows', type: 'text', nullable: true })
  managedBy!: 'member' | null;

  /**
   * The last messages to the holder, newest first, at most 10. Empty if the pass is only prepared for its first
   * message; null if it is not.
   */
  @Column({ type: 'jsonb', nullable: true })
  messages?: PassMessage[] | null;

  /** The number of all changes, including changes of the metadata. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /**
   * The time of the last change that a holder can see. It is at least a second after the previous change of the pass
   * and its template.
   */
  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  /**
   * The encrypted member name of `primaryValue`; null while it is unencrypted. Only `PassEncryptionService` uses this
   * column.
   */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The salt of the record's key. It is read only together with `personal`. */
  @VirtualColumn({ type: 'bytea', query: (pass) => saltSql(pass) })
  salt?: Buffer | null;
}

/**
 * Returns the SQL expression for the salt of a pass. Unencrypted passes need no look-up.
 * @param account an SQL expression for the account; pass a parameter if the statement reads only one account
 */
export const saltSql = (pass: string, account = `${pass}.account_id`): string =>
  `CASE WHEN ${pass}.personal IS NOT NULL THEN (${recordSaltSql(account, `'pass:' || ${pass}.serial_number`)}) END`;
