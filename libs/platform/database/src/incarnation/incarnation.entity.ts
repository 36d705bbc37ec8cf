import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The current incarnation: the period since the database was created, restored, rolled back or promoted. The table has
 * one row.
 */
@Entity('incarnation', { synchronize: false })
export class IncarnationRow {
  @PrimaryColumn({ name: 'is_current', type: 'boolean', default: true })
  isCurrent!: boolean;

  /** Empty until the first restore, rollback or promotion. */
  @Column({ type: 'text', default: '' })
  id!: string;

  /** The current server and database; null until a node has recorded them. */
  @Column({ type: 'text', nullable: true })
  server!: string | null;

  @Column({ type: 'bigint', nullable: true })
  timeline!: string | null;

  @Column({ type: 'bigint', default: 0 })
  beat!: string;

  /**
   * The latest time that a heartbeat has read from the database's clock. If it is in the future, the clock has been set
   * back.
   */
  @Column({ name: 'beaten_at', type: 'timestamptz', precision: 3, nullable: true })
  beatenAt!: Date | null;

  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  @Column({ name: 'begun_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  begunAt!: Date;

  /** The settings of the node that started last, by name. */
  @Column({ name: 'node_settings', type: 'jsonb', default: {} })
  nodeSettings!: Record<string, string>;
}
