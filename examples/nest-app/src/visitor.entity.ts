import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A visitor who has signed up. The visitor's pass has the same id. */
@Entity()
export class Visitor {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  fullName!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}

/** The museum, and the account that issues its passes. */
@Entity()
export class Venue {
  @PrimaryColumn('text')
  name!: string;

  @Column('text')
  accountId!: string;
}
