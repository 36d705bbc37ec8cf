import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The progress of one listener after a new incarnation. */
@Entity('incarnation_work')
export class IncarnationWorkRow {
  @PrimaryColumn({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  incarnation!: string;

  /** Null when it is done. */
  @Column({ type: 'jsonb', nullable: true })
  position!: object | null;
}
