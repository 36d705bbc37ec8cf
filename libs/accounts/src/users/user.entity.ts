import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person who signs in, in one account or several. */
@Entity('app_user')
export class User {
  /** `usr_…` */
  @PrimaryColumn({ type: 'text' })
  uid!: string;

  /** As it was given; unique in lower case. */
  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'text' })
  name!: string;

  /** Argon2id, in PHC string form. */
  @Column({ type: 'text' })
  passwordHash!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
