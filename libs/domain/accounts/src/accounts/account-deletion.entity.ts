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

  /** Until then it can be taken back. */
  @Column({ type: 'timestamptz', precision: 3 })
  deletesAt!: Date;

  /** Null while it can be taken back. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  beganAt!: Date | null;

  /** Time at which the content was deleted and the wallets were notified. Rows that wallets still ask for stay a while. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  emptiedAt!: Date | null;
}
