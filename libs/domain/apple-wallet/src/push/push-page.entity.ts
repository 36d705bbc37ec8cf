import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Maximum number of devices per page. */
export const pageSize = 100;

/** SQL: a value of `since` for devices to check regardless of earlier pushes. */
export const afterAnyPush = `'9223372036854775807'::bigint`;

/** A page of at most `pageSize` devices to check. Outdated devices are pushed. */
@Entity('apple_push_page', { synchronize: false })
export class PushPage {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'bigint' })
  id!: string;

  /** When to check the devices. While a claim has the page, this is when the claim expires. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3 })
  dueAt!: Date;

  /** Devices whose last push has a greater number are skipped. */
  @Column({ type: 'bigint' })
  since!: string;

  /** The number of the current claim, if any. */
  @Column({ type: 'bigint', nullable: true })
  claim!: string | null;

  /**
   * The number of claims since the last recorded result. More than one means that a process died with the claim or lost
   * its connection to the database.
   */
  @Column({ name: 'open_claims', type: 'smallint', default: 0 })
  openClaims!: number;

  /** The key of the process that made the latest claim (see `Claimant`). */
  @Column({ name: 'claimed_by', type: 'integer', nullable: true })
  claimedBy!: number | null;

  /** The changed pass or template; null for devices that are checked for another reason. */
  @Column({ type: 'text', nullable: true })
  scope!: string | null;

  @Column({ name: 'device_ids', type: 'text', array: true })
  deviceIds!: string[];

  /** The number of devices on the page. */
  @Column({ type: 'integer' })
  size!: number;
}
