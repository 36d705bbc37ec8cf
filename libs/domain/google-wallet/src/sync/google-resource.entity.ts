import type { RenderType } from '@passwright/wallet-renderers';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TimelyMessage } from '@passwright/passes';

/**
 * What is, or is to be, at Google Wallet: the class of a template or the object of a pass, of one issuer. It is made when
 * a save link is first asked for, and kept for ever, as nothing can be deleted there.
 */
@Entity('google_resource')
export class GoogleResourceRow {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  issuerId!: string;

  /** Its name at Google is `<issuerId>.<id>`. */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  templateId!: string;

  @Column({ type: 'text' })
  type!: RenderType;

  /** Of the pass; null for a class. */
  @Column({ type: 'text', nullable: true })
  serialNumber!: string | null;

  /** What Google holds: the hash of what it was sent last; null until it is there. */
  @Column({ type: 'bytea', nullable: true })
  sentHash!: Buffer | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  sentAt!: Date | null;

  /** How often it has changed. */
  @Column({ type: 'integer', default: 0 })
  changes!: number;

  /** When to compare it with what Google holds; null when nothing has changed since. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** Whose turn comes first: 0 a class, 1 an object that has changed alone, 2 one that has changed with its template. */
  @Column({ type: 'smallint', default: 1 })
  priority!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leasedUntil!: Date | null;

  /** Claims since the last recorded result. More than one: a process died with the claim, or lost the database. */
  @Column({ type: 'smallint', default: 0 })
  openClaims!: number;

  @Column({ type: 'integer', default: 0 })
  failures!: number;

  /** What Google had against it the last time. */
  @Column({ type: 'text', nullable: true })
  problem!: string | null;

  @Column({ type: 'integer', nullable: true })
  problemStatus!: number | null;

  /** It waits for a change, or for hours: the same again would most likely be refused again. */
  @Column({ type: 'boolean', default: false })
  refused!: boolean;

  /** What holders are to be told with the next write. */
  @Column({ type: 'jsonb', nullable: true })
  message!: TimelyMessage | null;

  @Column({ type: 'integer', default: 0 })
  saves!: number;

  @Column({ type: 'integer', default: 0 })
  removals!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
