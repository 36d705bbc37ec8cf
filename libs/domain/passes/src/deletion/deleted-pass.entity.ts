import type { Template } from '@passwright/templates';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The tombstone of a deleted pass, from which phones that still hold it get a void one. It contains only ids, type and
 * issuer; the caller may have chosen the pass's id.
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

  /** The template's type at the time of the deletion, like the issuer name. */
  @Column({ type: 'text' })
  type!: Template['type'];

  @Column({ type: 'text' })
  issuerName!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  deletedAt!: Date;

  /** When the pass was created. Null if it was deleted before this column existed. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  createdAt!: Date | null;
}
