import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A callback that was counted: a repetition is not. */
@Entity('google_callback')
export class GoogleCallbackRow {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** SHA-256 of its nonce. */
  @PrimaryColumn({ type: 'bytea' })
  nonceHash!: Buffer;

  /** After that it is refused for its age. */
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
