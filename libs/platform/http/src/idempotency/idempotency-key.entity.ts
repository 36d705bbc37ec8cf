import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The answer given under an idempotency key. */
@Entity('idempotency_key')
export class IdempotencyKey {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** SHA-256 of caller, method, path and key: the same key elsewhere is another one. */
  @PrimaryColumn({ type: 'bytea' })
  keyHash!: Buffer;

  /** SHA-256 of the query and the body as they were received. */
  @Column({ type: 'bytea' })
  requestHash!: Buffer;

  /** Never null: nodes of earlier versions insert a row before it has its answer, in one transaction. */
  @Column({ type: 'integer', nullable: true })
  statusCode!: number | null;

  @Column({ type: 'jsonb', nullable: true })
  headers!: Record<string, string> | null;

  /** The body as it was sent; null when the response had none or is encrypted. */
  @Column({ type: 'text', nullable: true })
  body!: string | null;

  /** The body, encrypted. */
  @Column({ type: 'bytea', nullable: true })
  sealed!: Buffer | null;

  /** The passes, mails and addresses that an encrypted body names. */
  @Column({ type: 'text', array: true, nullable: true })
  names!: string[] | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
