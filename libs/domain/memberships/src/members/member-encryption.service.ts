import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type AccountKey, KeyMissing, newSalt, PersonalData, type StoredRecordKey } from '@passwright/accounts';
import type { EntityManager } from 'typeorm';
import { beginningsOf, lexemesOf } from './member-search.js';
import type { Member } from './member.entity.js';

const COLUMN = 'member.personal';
/**
 * The property in which a member object keeps its salt between reading and writing. The object's JSON does not contain
 * it.
 */
const saltOf = Symbol('salt');
/** The property in which a member object keeps the columns that cannot be decrypted because the key is missing. */
const unread = Symbol('unread');

interface Carried {
  [saltOf]?: Buffer;
  [unread]?: PersonalColumns;
}
type Personal = Pick<Member, 'email' | 'name' | 'data'>;
type StoredMember = Pick<Member, 'accountId' | 'id'> & Personal & Readonly<Carried>;

/** The columns of a member that hold personal data. */
export interface PersonalColumns {
  readonly email: string;
  readonly name: string;
  readonly data: unknown;
  /** The encrypted data in hexadecimal; null if the other columns are unencrypted. */
  readonly personal: string | null;
  readonly lexemes: readonly string[];
}

/**
 * Encrypts and decrypts e-mail, name and data of members. For an encrypted member, the column `email` stores a blind
 * index. The columns `name` and `data` store digests, from which triggers detect changes.
 */
@Injectable()
export class MemberEncryptionService {
  constructor(private readonly keys: PersonalData) {}

  /** Decrypts a member that was just read. */
  async open<One extends Member | null>(member: One, tx?: EntityManager): Promise<One> {
    if (member) await this.openAll([member], tx);
    return member;
  }

  /**
   * Decrypts members that were just read. Leaves the fields empty if the key was deleted, for example by an erasure.
   */
  async openAll(members: Member[], tx?: EntityManager): Promise<Member[]> {
    for (const member of members as (Member & Carried)[]) {
      const { accountId, personal, salt, email, name, data } = member;
      member.personal = undefined;
      member.salt = undefined;
      if (!personal) continue;
      const key = salt && (await this.keys.find(accountId, tx));
      const opened = key && key.open<Personal>({ id: idOf(member), salt }, COLUMN, personal);
      if (opened) {
        Object.assign(member, opened, { [saltOf]: salt });
      } else {
        member[unread] = { email, name, data, personal: personal.toString('hex'), lexemes: [] };
        Object.assign(member, nothing);
      }
    }
    return members;
  }

  /**
   * Returns the columns to write for members of one account, and stores the keys of encrypted members. A member whose
   * key is missing keeps its columns. @throws KeyMissing for a change of such columns
   */
  async columnsOf(tx: EntityManager, members: readonly StoredMember[]): Promise<PersonalColumns[]> {
    const [first] = members;
    if (!first) return [];
    const { accountId } = first;
    const isNew = members.some((member) => !member[saltOf] && !member[unread]);
    const key = await (isNew ? this.keys.findForWrite(accountId, tx) : this.keys.find(accountId, tx));
    const records: StoredRecordKey[] = [];
    const columns: PersonalColumns[] = [];
    for (const member of members) {
      // Yield to the event loop. Long names take milliseconds each, so a large import would block every other request.
      if (columns.length % AT_ONCE === AT_ONCE - 1) await nextTurn();
      columns.push(columnsFor(member, key, records));
    }
    await this.keys.put(tx, accountId, records);
    return columns;
  }
}

/** The number of members encrypted in one turn of the event loop. */
const AT_ONCE = 10;
const idOf = ({ id }: Pick<Member, 'id'>) => `member:${id}`;

const nothing: Personal = { email: '', name: '', data: {} };

/** Returns true if a member could not be decrypted. Its name, e-mail and data are then empty. */
export function isUnread(member: object): boolean {
  return unread in member;
}

/** @param records collects the key of an encrypted record. @throws KeyMissing */
function columnsFor(member: StoredMember, key: AccountKey | null, records: StoredRecordKey[]): PersonalColumns {
  const { [saltOf]: salt, [unread]: columns, accountId } = member;
  if (columns) return unchanged(member, columns);
  if (key) return encrypt(key, member, salt ?? newSalt(), records);
  if (salt) throw new KeyMissing();
  return inClear(accountId, member);
}

/** @throws KeyMissing */
function unchanged({ email, name, data }: StoredMember, columns: PersonalColumns): PersonalColumns {
  if (!isDeepStrictEqual({ email, name, data }, nothing)) throw new KeyMissing();
  return columns;
}

function encrypt(
  key: AccountKey,
  { id, email, name, data }: StoredMember,
  salt: Buffer,
  records: StoredRecordKey[],
): PersonalColumns {
  const record = { id: idOf({ id }), salt };
  const tokens = beginningsOf({ name, email }).map((beginning) => key.tokenOf(beginning));
  records.push({ ...record, tokens });
  return {
    email: key.indexOf(email),
    name: key.digestOf(record, 'name', name),
    data: key.digestOf(record, 'data', data),
    personal: key.encrypt(record, COLUMN, { email, name, data }).toString('hex'),
    lexemes: [],
  };
}

function inClear(accountId: string, { email, name, data }: StoredMember): PersonalColumns {
  return { email, name, data, personal: null, lexemes: lexemesOf(accountId, { name, email }) };
}
