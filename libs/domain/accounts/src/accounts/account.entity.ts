import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A tenant. All other data belongs to an account. */
@Entity('account', { synchronize: false })
export class Account {
  /** `acc_…` */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  industry!: string | null;

  /** The uid of the user who created the account; null if the operator created it. */
  @Column({ type: 'text', nullable: true })
  founder!: string | null;

  /** True for a test account. Never changes. */
  @Column({ name: 'is_test', type: 'boolean', default: false })
  isTest!: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
