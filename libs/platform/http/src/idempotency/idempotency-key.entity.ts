import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The response stored under an idempotency key. */
@Entity('idempotency_key', { synchronize: false })
export class IdempotencyKey {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  /** SHA-256 of caller, method, path and key. The same key on another route therefore counts as a different key. */
  @PrimaryColumn({ name: 'key_hash', type: 'bytea' })
  keyHash!: Buffer;

  /** SHA-256 of the query and the body as received. */
  @Column({ name: 'request_hash', type: 'bytea' })
  requestHash!: Buffer;

  /** Never null in a committed row. */
  @Column({ name: 'status_code', type: 'integer', nullable: true })
  statusCode!: number | null;

  @Column({ type: 'jsonb', nullable: true })
  headers!: Record<string, string> | null;

  /** The body as sent; null if the response has no body or is encrypted. */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  /** The encrypted body. */
  @Column({ name: 'sealed', type: 'bytea', nullable: true })
  encrypted!: Buffer | null;

  /** The passes, mails and addresses that an encrypted body mentions. */
  @Column({ type: 'text', array: true, nullable: true })
  names!: string[] | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
