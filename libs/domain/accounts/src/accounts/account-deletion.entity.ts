import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An account that is being deleted. */
@Entity('account_deletion')
export class AccountDeletion {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  requestedAt!: Date;

  /** The uid of the admin, or `operator`. */
  @Column({ type: 'text' })
  requestedBy!: string;

  /** The deletion can be cancelled until this time. */
  @Column({ type: 'timestamptz', precision: 3 })
  deletesAt!: Date;

  /** Null while the deletion can still be cancelled. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  beganAt!: Date | null;

  /**
   * When the content was deleted and the wallets were notified. Rows that wallets still request stay for a while.
   */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  emptiedAt!: Date | null;
}
