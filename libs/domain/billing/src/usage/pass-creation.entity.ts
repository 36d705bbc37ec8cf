import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Passes created since `countedFrom`, within its month and billing period: the sum of several rows. Kept by the database. */
@Entity('pass_creation')
export class PassCreation {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  countedFrom!: Date;

  @PrimaryColumn({ type: 'integer' })
  shard!: number;

  /** Decimal digits. */
  @Column({ type: 'bigint' })
  created!: string;

  /** Up to what `created` may rise without asking, where the account has a limit. Decimal digits. */
  @Column({ type: 'bigint', default: 0 })
  granted!: string;
}
