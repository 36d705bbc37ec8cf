import { Entity, PrimaryColumn } from 'typeorm';

/** The place of a pass in the order in which those of its template were updated. Kept by triggers of `pass`. */
@Entity('pass_update_order')
export class PassUpdateOrder {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  templateId!: string;

  /** That of the pass. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  @PrimaryColumn({ type: 'text' })
  passId!: string;
}
