import type { PreparedImage } from '@passwright/images';
import type { Template } from '@passwright/templates';
import type { RenderField, RenderLocation, RenderPass } from '@passwright/wallet-renderers';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { JsonRecord } from './merge-patch.js';

/**
 * One pass of a template: what it has of its own. What a wallet shows is this merged into its template, which
 * renderers do. It counts as voided when `voidedAt` is set or its template is archived.
 */
@Entity('pass')
export class Pass implements RenderPass {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  templateId!: string;

  /** Chosen by the caller or by `randomId`; unique in the template. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  /** Its template's: the reference to it includes the type, so that the type of a template with passes cannot change. */
  @Column({ type: 'text' })
  templateType!: Template['type'];

  /** What Apple Wallet knows the pass by: opaque, unique in the installation, never changed and never used again. */
  @Column({ type: 'text' })
  serialNumber!: string;

  /** What the barcode says; unique in the template. */
  @Column({ type: 'text' })
  code!: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  validFrom!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  voidedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  redeemedAt!: Date | null;

  /** When its expiry was noted and wallets were told; null until then. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiredAt!: Date | null;

  /** For generic templates and memberships, whose `primaryLabel` it belongs to. */
  @Column({ type: 'text', nullable: true })
  primaryValue!: string | null;

  /** Instead of the template's; for generic templates. */
  @Column({ type: 'jsonb', nullable: true })
  thumbnail!: PreparedImage | null;

  @Column({ type: 'jsonb' })
  fields!: RenderField[];

  @Column({ type: 'jsonb' })
  backFields!: RenderField[];

  @Column({ type: 'jsonb' })
  locations!: RenderLocation[];

  /** The caller's own notes: no wallet and no public answer ever shows them. */
  @Column({ type: 'jsonb' })
  metadata!: JsonRecord;

  /** Who it follows, and who alone may void it, end it, name its holder and delete it: a member. Null: nobody. */
  @Column({ type: 'text', nullable: true })
  follows!: 'member' | null;

  /** Counts all changes, those of the metadata included. */
  @Column({ type: 'integer' })
  version!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** The last change of what a holder sees: each is at least a second after the one before, of the pass and of its template. */
  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  /** A member's name in `primaryValue`, encrypted; null while it is in clear. Only between the database and `PassEncryption`. */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The salt of the record's key; read with `personal` alone. */
  @VirtualColumn({ type: 'bytea', query: (pass) => saltSql(pass) })
  salt?: Buffer | null;
}

/** The salt of a pass, as an expression. Passes in clear need no look-up. */
export const saltSql = (pass: string): string =>
  `CASE WHEN ${pass}.personal IS NOT NULL THEN (
     SELECT salt FROM encryption_key WHERE account_id = ${pass}.account_id AND id = 'pass:' || ${pass}.serial_number
   ) END`;
