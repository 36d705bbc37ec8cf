import type { Template } from '@passwright/templates';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What is left of a deleted pass: enough to serve the phones that still hold it a voided one. Nothing but ids, type and
 * issuer; a caller may have chosen the pass's id.
 */
@Entity('deleted_pass')
export class DeletedPass {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  serialNumber!: string;

  @Column({ type: 'text' })
  templateId!: string;

  @Column({ type: 'text' })
  passId!: string;

  /** The template's when the pass was deleted, as is the issuer's name. */
  @Column({ type: 'text' })
  type!: Template['type'];

  @Column({ type: 'text' })
  issuerName!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  deletedAt!: Date;

  /** When the pass was created. Null where it was deleted before that was kept. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  createdAt!: Date | null;
}
