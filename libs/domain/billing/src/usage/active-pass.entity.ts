import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A part of the count of a template's active passes, which are neither voided nor noted as expired. The sum of the rows
 * counts. Triggers write them.
 */
@Entity('active_pass')
export class ActivePass {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  templateId!: string;

  @PrimaryColumn({ type: 'integer' })
  shard!: number;

  /** Decimal digits. A single row may be negative. */
  @Column({ type: 'bigint' })
  active!: string;
}
