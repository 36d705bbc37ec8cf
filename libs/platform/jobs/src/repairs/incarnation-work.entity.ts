import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The progress of one repair listener since the last restore or promotion of the database. */
@Entity('incarnation_work', { synchronize: false })
export class IncarnationWorkRow {
  @PrimaryColumn({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  incarnation!: string;

  /** The position of the next step; null when the listener is done. */
  @Column({ type: 'jsonb', nullable: true })
  position!: object | null;
}
