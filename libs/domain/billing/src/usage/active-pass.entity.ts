import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Passes of a template that are neither voided nor noted as expired: the sum of several rows. Kept by the database. */
@Entity('active_pass')
export class ActivePass {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  templateId!: string;

  @PrimaryColumn({ type: 'integer' })
  shard!: number;

  /** Decimal digits; of a single row it may be negative. */
  @Column({ type: 'bigint' })
  active!: string;
}
