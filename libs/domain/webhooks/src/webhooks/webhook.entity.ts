import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A subscription to the events of an account. */
@Entity('webhook', { synchronize: false })
export class Webhook {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text', nullable: true })
  name!: string | null;

  /** The address that receives events. Null if clients only fetch the events. */
  @Column({ type: 'text', nullable: true })
  url!: string | null;

  /** The types of events that the webhook receives; null for all types, including future types. */
  @Column({ type: 'text', array: true, nullable: true })
  types!: string[] | null;

  /** The secret that signs deliveries, encrypted under the master keys. */
  @Column({ type: 'bytea' })
  secret!: Buffer;

  /** The previous secret, which also signs until `previousSecretUntil`, so that receivers can switch without a gap. */
  @Column({ name: 'previous_secret', type: 'bytea', nullable: true })
  previousSecret!: Buffer | null;

  @Column({ name: 'previous_secret_until', type: 'timestamptz', precision: 3, nullable: true })
  previousSecretUntil!: Date | null;

  @Column({ name: 'disabled_at', type: 'timestamptz', precision: 3, nullable: true })
  disabledAt!: Date | null;

  /** The reason why the service disabled the webhook; null if it did not. */
  @Column({ name: 'disabled_because', type: 'text', nullable: true })
  disabledBecause!: string | null;

  /** The time of the first failure since the last success. */
  @Column({ name: 'failing_since', type: 'timestamptz', precision: 3, nullable: true })
  failingSince!: Date | null;

  /** The end of a pause that the receiver has requested. */
  @Column({ name: 'held_until', type: 'timestamptz', precision: 3, nullable: true })
  heldUntil!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
