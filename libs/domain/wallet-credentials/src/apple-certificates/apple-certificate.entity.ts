import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The account's own pass type certificate. */
@Entity('apple_certificate', { synchronize: false })
export class AppleCertificate {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @Column({ name: 'certificate_pem', type: 'text' })
  certificatePem!: string;

  @Column({ name: 'intermediate_pem', type: 'text' })
  intermediatePem!: string;

  /** The encrypted PEM text. */
  @Column({ name: 'private_key', type: 'bytea' })
  privateKey!: Buffer;

  @Column({ name: 'pass_type_identifier', type: 'text' })
  passTypeIdentifier!: string;

  @Column({ name: 'team_identifier', type: 'text' })
  teamIdentifier!: string;

  @Column({ name: 'organization_name', type: 'text' })
  organizationName!: string;

  /** SHA-256 of the certificate's DER, in lower-case hex. */
  @Column({ type: 'text' })
  fingerprint!: string;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  /** True for a certificate from a development chain. Phones reject passes signed with it. */
  @Column({ type: 'boolean' })
  development!: boolean;

  @Column({ name: 'uploaded_at', type: 'timestamptz', precision: 3 })
  uploadedAt!: Date;
}
