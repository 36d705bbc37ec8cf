import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The purpose of a code. A user has at most one code for each purpose. */
export type CodePurpose = 'password' | 'email' | 'sign_in';

/** A single-use code that was issued to a user. */
@Entity('user_code', { synchronize: false })
export class UserCode {
  @PrimaryColumn({ type: 'text' })
  uid!: string;

  @PrimaryColumn({ type: 'text' })
  purpose!: CodePurpose;

  /** SHA-256 of the code. */
  @Column({ name: 'code_hash', type: 'bytea' })
  codeHash!: Buffer;

  /** The new e-mail address of a code with purpose `email`, encrypted under the user's key. */
  @Column({ type: 'text', nullable: true })
  email!: string | null;

  /** The account to sign in to, for a code with purpose `sign_in`. */
  @Column({ name: 'account_id', type: 'text', nullable: true })
  accountId!: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
