import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user signed in to an account: the family of all refresh tokens that came from one login. */
@Entity('session')
export class Session {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** `ses_…` */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  uid!: string;

  /** SHA-256 of the secret in the refresh token that is valid now. */
  @Column({ type: 'bytea' })
  tokenHash!: Buffer;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** When it was opened or refreshed last. */
  @Column({ type: 'timestamptz', precision: 3 })
  lastUsedAt!: Date;

  /** From where it was opened or refreshed last. */
  @Column({ type: 'text', nullable: true })
  ip!: string | null;

  @Column({ type: 'text', nullable: true })
  userAgent!: string | null;
}
