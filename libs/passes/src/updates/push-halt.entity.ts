import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The push service refuses an account's certificate: nothing is pushed with it but probes. */
@Entity('apple_push_halt')
export class PushHalt {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  /** Of the certificate; another one is another matter. */
  @Column({ type: 'text' })
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
