import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The active passes of an account at the last count of a month. */
@Entity('usage_month', { synchronize: false })
export class UsageMonth {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** The first day of the month, `yyyy-mm-dd`. */
  @PrimaryColumn({ type: 'date' })
  month!: string;

  /** A bigint as decimal digits. */
  @Column({ name: 'active_passes', type: 'bigint' })
  activePasses!: string;
}
