import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A private key that the service created, and the pending request for its certificate. */
@Entity('apple_certificate_request', { synchronize: false })
export class AppleCertificateRequest {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @Column({ name: 'request_pem', type: 'text' })
  requestPem!: string;

  /** The encrypted PEM text. */
  @Column({ name: 'private_key', type: 'bytea' })
  privateKey!: Buffer;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
