import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A partial count of the passes created from `countedFrom` to the end of a month or billing period. The total is the
 * sum of the rows. Database triggers write the rows.
 */
@Entity('pass_creation', { synchronize: false })
export class PassCreation {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'counted_from', type: 'timestamptz', precision: 3 })
  countedFrom!: Date;

  @PrimaryColumn({ type: 'integer' })
  shard!: number;

  /** A bigint as decimal digits. */
  @Column({ type: 'bigint' })
  created!: string;

  /** The account's limit is not checked again until `created` exceeds this value. A bigint as decimal digits. */
  @Column({ type: 'bigint', default: 0 })
  granted!: string;
}
