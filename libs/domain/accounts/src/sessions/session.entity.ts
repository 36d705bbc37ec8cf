import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's session in an account. All refresh tokens that descend from one login belong to it. */
@Entity('session')
export class Session {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** `ses_…` */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  uid!: string;

  /** SHA-256 of the secret in the current refresh token. */
  @Column({ type: 'bytea' })
  tokenHash!: Buffer;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** When the session was last opened or refreshed. */
  @Column({ type: 'timestamptz', precision: 3 })
  lastUsedAt!: Date;

  /** The IP address from which the session was last opened or refreshed. */
  @Column({ type: 'text', nullable: true })
  ip!: string | null;

  @Column({ type: 'text', nullable: true })
  userAgent!: string | null;
}
