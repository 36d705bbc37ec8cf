import { Column, Entity, PrimaryColumn } from 'typeorm';

/** That a user is in an account. Removing it ends the user's sessions in the account. */
@Entity('account_member')
export class AccountMember {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  uid!: string;

  /** Admins manage people, keys and settings; the others do everything with templates, passes and members. */
  @Column({ type: 'boolean' })
  isAdmin!: boolean;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
