import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Whoever has signed up; the pass has the same id. */
@Entity('visitor')
export class Visitor {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  fullName!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}

/** The account that this app's passes are issued by. */
@Entity('venue')
export class Venue {
  @PrimaryColumn('text')
  name!: string;

  @Column('text')
  accountId!: string;
}
