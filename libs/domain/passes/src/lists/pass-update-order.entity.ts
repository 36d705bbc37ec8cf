import { Entity, PrimaryColumn } from 'typeorm';

/** The position of a pass in the update order of its template's passes. Triggers on `pass` maintain it. */
@Entity('pass_update_order')
export class PassUpdateOrder {
  @PrimaryColumn({ type: 'text' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  templateId!: string;

  /** The pass's `updatedAt`. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  @PrimaryColumn({ type: 'text' })
  passId!: string;
}
