import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The account's own pass type certificate. */
@Entity('apple_certificate')
export class AppleCertificate {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @Column({ type: 'text' })
  certificatePem!: string;

  @Column({ type: 'text' })
  intermediatePem!: string;

  /** The encrypted PEM text. */
  @Column({ type: 'bytea' })
  privateKey!: Buffer;

  @Column({ type: 'text' })
  passTypeIdentifier!: string;

  @Column({ type: 'text' })
  teamIdentifier!: string;

  @Column({ type: 'text' })
  organizationName!: string;

  /** SHA-256 of the certificate's DER, in lower-case hex. */
  @Column({ type: 'text' })
  fingerprint!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  /** True for a certificate from a development chain. Phones reject passes signed with it. */
  @Column({ type: 'boolean' })
  development!: boolean;

  @Column({ type: 'timestamptz', precision: 3 })
  uploadedAt!: Date;
}
