import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A private key created here, and the pending request for its certificate. */
@Entity('apple_certificate_request')
export class AppleCertificateRequest {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @Column({ type: 'text' })
  requestPem!: string;

  /** The encrypted PEM text. */
  @Column({ type: 'bytea' })
  privateKey!: Buffer;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
