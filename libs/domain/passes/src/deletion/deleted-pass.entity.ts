import type { Template } from '@passwright/templates';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The tombstone of a deleted pass. Phones that still hold the pass get a void version of it. The tombstone contains
 * only ids, type and issuer.
 */
@Entity('deleted_pass', { synchronize: false })
export class DeletedPass {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'serial_number', type: 'text' })
  serialNumber!: string;

  @Column({ name: 'template_id', type: 'text' })
  templateId!: string;

  @Column({ name: 'pass_id', type: 'text' })
  passId!: string;

  /** The type of the template at the time of the deletion. */
  @Column({ type: 'text' })
  type!: Template['type'];

  @Column({ name: 'issuer_name', type: 'text' })
  issuerName!: string;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3 })
  deletedAt!: Date;

  /** When the pass was created. Null if it was deleted before this column existed. */
  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, nullable: true })
  createdAt!: Date | null;
}
