import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A private key made here, and the request for its certificate, which has not come back yet. */
@Entity('apple_certificate_request')
export class AppleCertificateRequest {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @Column({ type: 'text' })
  requestPem!: string;

  /** PEM text, sealed. */
  @Column({ type: 'bytea' })
  privateKey!: Buffer;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
