import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The account's own Google Wallet issuer, with the service account that may write for it. */
@Entity('google_service_account')
export class StoredServiceAccount {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @Column({ type: 'text' })
  issuerId!: string;

  @Column({ type: 'text' })
  clientEmail!: string;

  @Column({ type: 'text', nullable: true })
  privateKeyId!: string | null;

  /** The encrypted PEM text. */
  @Column({ type: 'bytea' })
  privateKey!: Buffer;

  @Column({ type: 'timestamptz', precision: 3 })
  uploadedAt!: Date;
}
