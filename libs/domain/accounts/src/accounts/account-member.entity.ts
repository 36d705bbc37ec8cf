import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's membership in an account. Its deletion ends the user's sessions in the account. */
@Entity('account_member', { synchronize: false })
export class AccountMember {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  uid!: string;

  /** Admins manage people, keys and settings. Other users can do everything with templates, passes and members. */
  @Column({ name: 'is_admin', type: 'boolean' })
  isAdmin!: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
