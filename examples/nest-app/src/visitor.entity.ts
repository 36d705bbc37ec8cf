import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A visitor who has signed up; the pass has the same id. */
@Entity()
export class Visitor {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  fullName!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}

/** The account that issues this app's passes. */
@Entity()
export class Venue {
  @PrimaryColumn('text')
  name!: string;

  @Column('text')
  accountId!: string;
}
