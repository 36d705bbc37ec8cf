import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Maximum number of devices per page. */
export const pageSize = 100;

/** SQL: the value of `since` that makes the sender check devices regardless of earlier pushes. */
export const afterAnyPush = `'9223372036854775807'::bigint`;

/** A page of at most `pageSize` queued devices. The sender checks them and sends a push to those that are outdated. */
@Entity('apple_push_page', { synchronize: false })
export class PushPage {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'bigint' })
  id!: string;

  /** When to check the devices. For claimed devices, the time when the claim expires. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3 })
  dueAt!: Date;

  /** The number of the change. The sender skips devices whose last push has a greater number. */
  @Column({ type: 'bigint' })
  since!: string;

  /** The number of the current claim, if any. */
  @Column({ type: 'bigint', nullable: true })
  claim!: string | null;

  /**
   * The number of claims since the last recorded result. More than one means that a process crashed with the claim or
   * lost its database connection.
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

  /** The number of devices in the page. */
  @Column({ type: 'integer' })
  size!: number;
}
