import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import { recordSaltSql } from '../personal-data/record-key-sql.js';

/** A person who signs in to one or more accounts. */
@Entity('app_user', { synchronize: false })
export class User {
  /** `usr_…` */
  @PrimaryColumn({ type: 'text' })
  uid!: string;

  /** The e-mail address as it was entered; unique in lower case. */
  @Column({ type: 'text' })
  email!: string;

  @Column({ type: 'text' })
  name!: string;

  /** Argon2id, in PHC string format; null: the user signs in through an identity provider. */
  @Column({ name: 'password_hash', type: 'text', nullable: true })
  passwordHash!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /**
   * The encrypted e-mail and name; null while they are unencrypted. Used only between the database and
   * `UserEncryption`.
   */
  @Column({ type: 'bytea', nullable: true })
  personal?: Buffer | null;

  /** The salt of the record's key, read only together with `personal`. */
  @VirtualColumn({ type: 'bytea', query: (user) => saltSql(user) })
  salt?: Buffer | null;
}

/** Returns the SQL expression for the salt of a user. */
export const saltSql = (user: string): string => recordSaltSql("'users'", `'user:' || ${user}.uid`);

/** Returns the columns of a `StoredPerson` in SQL. */
export const personalColumns = (user: string): string =>
  `${user}.uid, ${user}.email, ${user}.name, ${user}.personal, (${saltSql(user)}) AS salt`;
