import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many devices a page has at most. */
export const pageSize = 100;

/** SQL: in place of `since`, when the devices are to be looked at whatever they are pushed for before. */
export const afterAnyPush = `'9223372036854775807'::bigint`;

/** Devices to be looked at, `pageSize` at most: whether they are behind, and to be pushed. */
@Entity('apple_push_page')
export class PushPage {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'bigint' })
  id!: string;

  /** When to look at them; while they are claimed, when the claim is over. */
  @Column({ type: 'timestamptz', precision: 3 })
  dueAt!: Date;

  /** Devices whose last push has a greater number need nothing. */
  @Column({ type: 'bigint' })
  since!: string;

  /** The number of the claim that has them in hand, if any. */
  @Column({ type: 'bigint', nullable: true })
  claim!: string | null;

  /** Claims since the last recorded result. More than one: a process died with the claim, or lost the database. */
  @Column({ type: 'smallint', default: 0 })
  openClaims!: number;

  /** What has changed; null for devices that are looked at for another reason. */
  @Column({ type: 'text', nullable: true })
  scope!: string | null;

  @Column({ type: 'text', array: true })
  deviceIds!: string[];

  /** How many there are. */
  @Column({ type: 'integer' })
  size!: number;
}
