import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a code is good for; a user has one of each at most. */
export type CodePurpose = 'password' | 'email' | 'sign_in';

/** A code that a user was given, to show once. */
@Entity('user_code')
export class UserCode {
  @PrimaryColumn({ type: 'text' })
  uid!: string;

  @PrimaryColumn({ type: 'text' })
  purpose!: CodePurpose;

  /** SHA-256 of the code. */
  @Column({ type: 'bytea' })
  codeHash!: Buffer;

  /** The new address of a code with purpose `email`, encrypted under the user's key. */
  @Column({ type: 'text', nullable: true })
  email!: string | null;

  /** Of purpose `sign_in`: the account to sign in to. */
  @Column({ type: 'text', nullable: true })
  accountId!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
