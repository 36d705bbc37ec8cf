import { Column, Entity, PrimaryColumn } from 'typeorm';

/** From when on Google has a request of an issuer free, by the database's clock. */
@Entity('google_quota')
export class GoogleQuotaRow {
  @PrimaryColumn({ type: 'text' })
  issuerId!: string;

  /** `holder` or `background`: who goes first in it. */
  @PrimaryColumn({ type: 'text' })
  lane!: string;

  @Column({ type: 'timestamptz' })
  freeAt!: Date;
}
