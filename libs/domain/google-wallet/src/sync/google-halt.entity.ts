import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Google does not take a credential: nothing is written with it for a while. */
@Entity('google_halt')
export class GoogleHaltRow {
  /** Empty: a halt is for whoever uses the credential. */
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Of the credential; another one is another matter. */
  @PrimaryColumn({ type: 'text' })
  fingerprint!: string;

  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  since!: Date;

  /** From when on the next write finds out whether it still does not. */
  @Column({ type: 'timestamptz', precision: 3 })
  retryAt!: Date;
}
