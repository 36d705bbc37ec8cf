import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The history of the database since it was last made, restored, rolled back or promoted: one row. */
@Entity('incarnation')
export class IncarnationRow {
  @PrimaryColumn({ type: 'boolean', default: true })
  isCurrent!: boolean;

  /** Empty for the first incarnation. */
  @Column({ type: 'text', default: '' })
  id!: string;

  /** The server and database of this incarnation; null until a node has seen them. */
  @Column({ type: 'text', nullable: true })
  server!: string | null;

  @Column({ type: 'bigint', nullable: true })
  timeline!: string | null;

  @Column({ type: 'bigint', default: 0 })
  beat!: string;

  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  begunAt!: Date;
}
