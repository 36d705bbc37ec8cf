import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The push service refuses a certificate: nothing is pushed with it but probes. */
@Entity('apple_push_halt')
export class PushHalt {
  /** Empty where it refuses the certificate itself, for all accounts; else the one whose pushes it refuses. */
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Of the certificate; another one is another matter. */
  @PrimaryColumn({ type: 'text' })
  fingerprint!: string;

  /** What the push service says, or what is wrong in words. */
  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  since!: Date;

  /** When one device is pushed to see whether it still does. */
  @Column({ type: 'timestamptz', precision: 3 })
  retryAt!: Date;
}
