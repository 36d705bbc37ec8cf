import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The open circuit of a certificate that the push service rejects: only trial pushes use it. */
@Entity('apple_push_halt')
export class PushHalt {
  /** Empty if the push service rejects the certificate for all accounts; else the account whose pushes it rejects. */
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** The fingerprint of the rejected certificate. A new certificate starts with a closed circuit. */
  @PrimaryColumn({ type: 'text' })
  fingerprint!: string;

  /** The reason from the push service, or a description of the problem. */
  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  since!: Date;

  /** When the next trial push is due. */
  @Column({ type: 'timestamptz', precision: 3 })
  retryAt!: Date;
}
