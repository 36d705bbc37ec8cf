import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The open circuit of a credential that Google rejects: nothing is written with it for a while. */
@Entity('google_halt')
export class GoogleHaltRow {
  /** Always empty: the circuit applies to all accounts that use the credential. */
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** The fingerprint of the credential. A new credential starts with a closed circuit. */
  @PrimaryColumn({ type: 'text' })
  fingerprint!: string;

  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  since!: Date;

  /** When the next write is tried. */
  @Column({ type: 'timestamptz', precision: 3 })
  retryAt!: Date;
}
