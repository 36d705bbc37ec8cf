import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The pass type certificate that an account has brought itself. */
@Entity('apple_certificate')
export class AppleCertificate {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @Column({ type: 'text' })
  certificatePem!: string;

  @Column({ type: 'text' })
  intermediatePem!: string;

  /** PEM text, sealed. */
  @Column({ type: 'bytea' })
  privateKey!: Buffer;

  @Column({ type: 'text' })
  passTypeIdentifier!: string;

  @Column({ type: 'text' })
  teamIdentifier!: string;

  @Column({ type: 'text' })
  organizationName!: string;

  /** SHA-256 of the certificate's DER, lower-case hex. */
  @Column({ type: 'text' })
  fingerprint!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  /** Made by a development chain: phones refuse what it signs. */
  @Column({ type: 'boolean' })
  development!: boolean;

  @Column({ type: 'timestamptz', precision: 3 })
  uploadedAt!: Date;
}
