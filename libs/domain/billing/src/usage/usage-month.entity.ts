import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many active passes an account had when its month was looked at last. */
@Entity('usage_month')
export class UsageMonth {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Its first day, `yyyy-mm-dd`. */
  @PrimaryColumn({ type: 'date' })
  month!: string;

  /** Decimal digits. */
  @Column({ type: 'bigint' })
  activePasses!: string;
}
