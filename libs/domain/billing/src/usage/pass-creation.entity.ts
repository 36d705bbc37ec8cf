import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A part of the count of passes created since `countedFrom`, within its month and billing period. The sum of the rows
 * counts. Triggers write them.
 */
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

  /** The value up to which `created` may rise without another look at the account's limit. Decimal digits. */
  @Column({ type: 'bigint', default: 0 })
  granted!: string;
}
