import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A subscription to what happens in an account. */
@Entity('webhook')
export class Webhook {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text', nullable: true })
  name!: string | null;

  /** Where events are sent to; null: nowhere, they are kept to be fetched. */
  @Column({ type: 'text', nullable: true })
  url!: string | null;

  /** The types of events it is told; null: all, also those that are yet to come. */
  @Column({ type: 'text', array: true, nullable: true })
  types!: string[] | null;

  /** What deliveries are signed with, sealed under the master keys. */
  @Column({ type: 'bytea' })
  secret!: Buffer;

  /** Signs as well until `previousSecretUntil`: receivers change over without a gap. */
  @Column({ type: 'bytea', nullable: true })
  previousSecret!: Buffer | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  previousSecretUntil!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  disabledAt!: Date | null;

  /** Set when the service has disabled it itself: why, in words. */
  @Column({ type: 'text', nullable: true })
  disabledBecause!: string | null;

  /** The first failure since the last success. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  failingSince!: Date | null;

  /** Its receiver has asked for a pause. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  heldUntil!: Date | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}
