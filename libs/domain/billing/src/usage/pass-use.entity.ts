import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A partial count of an account's redemptions and installations. The total is the sum of the account's rows. Database
 * triggers write the rows.
 */
@Entity('pass_use', { synchronize: false })
export class PassUse {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'integer' })
  shard!: number;

  /** A bigint as decimal digits. */
  @Column({ type: 'bigint' })
  redeemed!: string;

  /** A bigint as decimal digits. */
  @Column({ type: 'bigint' })
  installed!: string;
}
