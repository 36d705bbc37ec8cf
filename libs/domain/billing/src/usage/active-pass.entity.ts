import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A partial count of a template's active passes, which are neither void nor recorded as expired. The total is the sum
 * of the template's rows. Database triggers write the rows.
 */
@Entity('active_pass', { synchronize: false })
export class ActivePass {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'template_id', type: 'text' })
  templateId!: string;

  @PrimaryColumn({ type: 'integer' })
  shard!: number;

  /** A bigint as decimal digits. A single row may be negative. */
  @Column({ type: 'bigint' })
  active!: string;
}
