import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The response stored under an idempotency key. */
@Entity('idempotency_key')
export class IdempotencyKey {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** SHA-256 of caller, method, path and key. The same key on another route is therefore a different key. */
  @PrimaryColumn({ type: 'bytea' })
  keyHash!: Buffer;

  /** SHA-256 of the query and the body as received. */
  @Column({ type: 'bytea' })
  requestHash!: Buffer;

  /**
   * Never null once committed: only nodes of earlier versions insert the row before its response, in one transaction.
   */
  @Column({ type: 'integer', nullable: true })
  statusCode!: number | null;

  @Column({ type: 'jsonb', nullable: true })
  headers!: Record<string, string> | null;

  /** The body as sent; null when the response had none or is encrypted. */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  /** The encrypted body. */
  @Column({ type: 'bytea', nullable: true })
  sealed!: Buffer | null;

  /** The passes, mails and addresses that an encrypted body mentions. */
  @Column({ type: 'text', array: true, nullable: true })
  names!: string[] | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
