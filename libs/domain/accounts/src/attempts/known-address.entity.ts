import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An IP address from which a user has signed in. */
@Entity('known_address', { synchronize: false })
export class KnownAddress {
  /** An HMAC of the e-mail and the IP address. */
  @PrimaryColumn({ type: 'text' })
  key!: string;

  @Column({ type: 'text' })
  uid!: string;

  /** The day of the last sign-in. */
  @Column({ name: 'seen_at', type: 'timestamptz', precision: 3 })
  seenAt!: Date;
}
