import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { INDEX_PREFIX, newSalt, type RecordKey } from '../personal-data/account-key.js';
import { keysOfUsers } from '../personal-data/encryption-keys.repository.js';
import { KeyMissing } from '../personal-data/key-missing.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import { saltSql, type User } from './user.entity.js';

const PERSONAL = 'app_user.personal';
/** The column name under which an e-mail address in a code or a job is encrypted. */
const OTHER_EMAIL = 'other e-mail';

/** The personal data of a user. */
type Personal = Pick<User, 'email' | 'name'>;

/** A user as stored, with the columns of `personalColumns`. */
export type StoredPerson = Personal & Pick<User, 'uid' | 'personal' | 'salt'>;

/**
 * Encrypts and decrypts names and e-mail addresses of users. For an encrypted user, the column `email` holds the blind
 * index of the address, and `name` is empty.
 */
@Injectable()
export class UserEncryption {
  constructor(private readonly keys: PersonalData) {}

  /** Returns the forms in which the database may store an e-mail address. */
  formsOf(email: string, tx?: EntityManager): Promise<string[]> {
    return this.keys.formsOf(keysOfUsers, email, tx);
  }

  /** Decrypts a user that was read from the database. */
  async open<One extends StoredPerson | null>(user: One, tx?: EntityManager): Promise<One> {
    if (user) await this.openAll([user], tx);
    return user;
  }

  /**
   * Decrypts users that were read from the database. Name and e-mail are empty if the key was deleted, for example by
   * an erasure.
   */
  async openAll<One extends StoredPerson>(users: One[], tx?: EntityManager): Promise<One[]> {
    for (const user of users) {
      const { uid, personal, salt } = user;
      user.personal = undefined;
      user.salt = undefined;
      if (!personal) continue;
      const key = salt && (await this.keys.find(keysOfUsers, tx));
      const opened = key && key.open<Personal>(recordOf(uid, salt), PERSONAL, personal);
      Object.assign(user, opened ?? { email: '', name: '' });
    }
    return users;
  }

  /**
   * Returns the columns to write for a user, and stores the key of an encrypted user. @param salt the current salt of a
   * user who is already encrypted. @throws KeyMissing
   */
  async columnsOf(tx: EntityManager, user: Personal & Pick<User, 'uid'>, salt?: Buffer | null) {
    const { uid, email, name } = user;
    const key = await (salt ? this.keys.find(keysOfUsers, tx) : this.keys.findForWrite(keysOfUsers, tx));
    if (!key && salt) throw new KeyMissing();
    if (!key) return { email, name, personal: null };
    const record = recordOf(uid, salt ?? newSalt());
    if (!salt) await this.keys.put(tx, keysOfUsers, [record]);
    return {
      email: key.indexOf(email),
      name: '',
      personal: key.encrypt(record, PERSONAL, { email, name } satisfies Personal),
    };
  }

  /** Encrypts an e-mail address as text under the key of a user; returns null if the user is unencrypted. */
  async encryptEmail(tx: EntityManager, uid: string, email: string): Promise<string | null> {
    const salt = await this.saltOf(tx, uid);
    const key = salt && (await this.keys.find(keysOfUsers, tx));
    return key ? INDEX_PREFIX + key.encrypt(recordOf(uid, salt), OTHER_EMAIL, { email }).toString('base64url') : null;
  }

  /**
   * Decrypts the result of `encryptEmail`, and returns a plain e-mail address unchanged; returns null if the user's key
   * was deleted.
   */
  async openEmail(tx: EntityManager, uid: string, stored: string): Promise<string | null> {
    if (!isEncryptedEmail(stored)) return stored;
    const salt = await this.saltOf(tx, uid);
    const key = salt && (await this.keys.find(keysOfUsers, tx));
    const bytes = Buffer.from(stored.slice(INDEX_PREFIX.length), 'base64url');
    const opened = key && key.open<{ email: string }>(recordOf(uid, salt), OTHER_EMAIL, bytes);
    return opened?.email ?? null;
  }

  private async saltOf(tx: EntityManager, uid: string): Promise<Buffer | null> {
    const sql = `SELECT (${saltSql('u')}) AS salt FROM app_user u WHERE uid = $1`;
    const [row] = await tx.query<{ salt: Buffer | null }[]>(sql, [uid]);
    return row?.salt ?? null;
  }
}

/** Returns true for a result of `encryptEmail`, false for a plain e-mail address. */
export function isEncryptedEmail(text: string): boolean {
  return text.startsWith(INDEX_PREFIX);
}

function recordOf(uid: string, salt: Buffer): RecordKey {
  return { id: `user:${uid}`, salt };
}
