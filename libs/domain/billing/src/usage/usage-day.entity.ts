import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The totals of an account at the last count of a day. A day without a change of the totals has no row. */
@Entity('usage_day', { synchronize: false })
export class UsageDay {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** UTC, `yyyy-mm-dd`. The first row is from the day before counting begins. */
  @PrimaryColumn({ type: 'date' })
  day!: string;

  /** A bigint as decimal digits, like the other totals. */
  @Column({ type: 'bigint' })
  created!: string;

  @Column({ type: 'bigint' })
  redeemed!: string;

  @Column({ type: 'bigint' })
  installed!: string;
}
