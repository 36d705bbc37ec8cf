import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';

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

  /** E-mail and name, encrypted; null while they are in clear. Only between the database and `UserEncryption`. */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The salt of the record's key; read with `personal` alone. */
  @VirtualColumn({ type: 'bytea', query: (user) => saltSql(user) })
  salt?: Buffer | null;
}

/** The salt of a user, as an expression. */
export const saltSql = (user: string): string =>
  `SELECT salt FROM encryption_key WHERE account_id = 'users' AND id = 'user:' || ${user}.uid`;

/** The columns of a `StoredPerson`, for statements in SQL. */
export const personalColumns = (user: string): string =>
  `${user}.uid, ${user}.email, ${user}.name, ${user}.personal, (${saltSql(user)}) AS salt`;
