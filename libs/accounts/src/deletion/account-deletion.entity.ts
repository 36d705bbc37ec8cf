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

  /** When the content was gone and the wallets were told. What they need to hear of it stays for a while. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  emptiedAt!: Date | null;
}
