import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An account that is being deleted. */
@Entity('account_deletion', { synchronize: false })
export class AccountDeletion {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @Column({ name: 'requested_at', type: 'timestamptz', precision: 3 })
  requestedAt!: Date;

  /** The uid of the admin who requested the deletion, or `operator`. */
  @Column({ name: 'requested_by', type: 'text' })
  requestedBy!: string;

  /** The deletion can be cancelled until this time. */
  @Column({ name: 'deletes_at', type: 'timestamptz', precision: 3 })
  deletesAt!: Date;

  /** When the deletion began. Null while it can still be cancelled. */
  @Column({ name: 'began_at', type: 'timestamptz', precision: 3, nullable: true })
  beganAt!: Date | null;

  /**
   * When the content was deleted and the wallets were notified. Rows that wallets still request are deleted 30 days
   * later.
   */
  @Column({ name: 'emptied_at', type: 'timestamptz', precision: 3, nullable: true })
  emptiedAt!: Date | null;
}
