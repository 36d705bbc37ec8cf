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

  /** Argon2id, in PHC string form; null: signs in through an identity provider. */
  @Column({ type: 'text', nullable: true })
  passwordHash!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
