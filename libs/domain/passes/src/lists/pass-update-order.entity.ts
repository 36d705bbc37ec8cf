import { Entity, PrimaryColumn } from 'typeorm';

/** The position of a pass in the update order of its template's passes. Triggers on `pass` maintain it. */
@Entity('pass_update_order', { synchronize: false })
export class PassUpdateOrder {
  @PrimaryColumn({ name: 'account_id', type: 'text' })
  accountId!: string;

  @PrimaryColumn({ name: 'template_id', type: 'text' })
  templateId!: string;

  /** The pass's `updatedAt`. */
  @PrimaryColumn({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;

  @PrimaryColumn({ name: 'pass_id', type: 'text' })
  passId!: string;
}
