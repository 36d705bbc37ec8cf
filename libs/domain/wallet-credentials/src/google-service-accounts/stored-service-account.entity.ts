import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The account's own Google Wallet issuer, with the service account that may write for it. */
@Entity('google_service_account', { synchronize: false })
export class StoredServiceAccount {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @Column({ name: 'issuer_id', type: 'text' })
  issuerId!: string;

  @Column({ name: 'client_email', type: 'text' })
  clientEmail!: string;

  @Column({ name: 'private_key_id', type: 'text', nullable: true })
  privateKeyId!: string | null;

  /** The encrypted PEM text. */
  @Column({ name: 'private_key', type: 'bytea' })
  privateKey!: Buffer;

  @Column({ name: 'uploaded_at', type: 'timestamptz', precision: 3 })
  uploadedAt!: Date;
}
