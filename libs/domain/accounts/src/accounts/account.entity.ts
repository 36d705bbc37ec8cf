import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A tenant: everything else belongs to one. */
@Entity('account')
export class Account {
  /** `acc_…` */
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  industry!: string | null;

  /** The uid of the user who founded the account; null for one that the operator made. */
  @Column({ type: 'text', nullable: true })
  founder!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
