import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The next free request slot of an issuer at Google, in the time of the database clock. */
@Entity('google_quota', { synchronize: false })
export class GoogleQuotaRow {
  @PrimaryColumn({ name: 'issuer_id', type: 'text' })
  issuerId!: string;

  /** `holder` or `background`. Each lane has its own share of the quota. */
  @PrimaryColumn({ type: 'text' })
  lane!: string;

  @Column({ name: 'free_at', type: 'timestamptz' })
  freeAt!: Date;
}
