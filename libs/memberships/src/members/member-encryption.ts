import { Injectable } from '@nestjs/common';
import { type AccountKey, newSalt, PersonalData } from '@passwright/accounts';
import type { EntityManager } from 'typeorm';
import { beginningsOf, lexemesOf } from './member-words.js';
import type { Member } from './member.entity.js';

/** Carries the salt of a member that was read to where it is written: copied with the member, never serialised. */
const saltOf = Symbol('salt');

type Salted = Member & { [saltOf]?: Buffer };
type Personal = Pick<Member, 'email' | 'name' | 'data'>;
type StoredMember = Pick<Member, 'accountId' | 'id'> & Personal & { readonly [saltOf]?: Buffer };

/** The columns of a member that hold personal data. */
export interface PersonalColumns {
  readonly email: string;
  readonly name: string;
  readonly data: unknown;
  /** Hexadecimal; null: the others are in clear. */
  readonly personal: string | null;
  readonly lexemes: readonly string[];
}

/**
 * Encrypts and decrypts e-mail, name and data of members. Of an encrypted one the columns of that name hold the index of
 * the e-mail and digests, by which triggers see what has changed.
 */
@Injectable()
export class MemberEncryption {
  constructor(private readonly keys: PersonalData) {}

  /** Decrypts a member as it was read. */
  async open<One extends Member | null>(member: One, tx?: EntityManager): Promise<One> {
    if (member) await this.openAll([member], tx);
    return member;
  }

  /** Decrypts members as they were read. What has lost its key, as it was erased since the back-up, is empty. */
  async openAll(members: Member[], tx?: EntityManager): Promise<Member[]> {
    for (const member of members as Salted[]) {
      const { accountId, personal, salt } = member;
      member.personal = undefined;
      member.salt = undefined;
      if (!personal) continue;
      const key = salt && (await this.keys.find(accountId, tx));
      const record = salt && { id: idOf(member), salt };
      Object.assign(member, key && record ? key.open<Personal>(record, personal) : { email: '', name: '', data: {} });
      if (salt) member[saltOf] = salt;
    }
    return members;
  }

  /** The columns of members of one account as they are written. Stores the keys of those that are encrypted. */
  async columnsOf(tx: EntityManager, members: readonly StoredMember[]): Promise<PersonalColumns[]> {
    const [first] = members;
    if (!first) return [];
    const { accountId } = first;
    // An encrypted member stays encrypted, also where new ones are not.
    const isEncrypted = members.some((member) => member[saltOf]);
    const key = await (isEncrypted ? this.keys.find(accountId, tx) : this.keys.findForWrite(accountId, tx));
    if (!key) return members.map((member) => inClear(accountId, member));
    const encrypted = members.map((member) => encrypt(key, member, member[saltOf] ?? newSalt()));
    await this.keys.put(
      tx,
      accountId,
      encrypted.map(({ key: stored }) => stored),
    );
    return encrypted.map(({ columns }) => columns);
  }
}

const idOf = ({ id }: Pick<Member, 'id'>) => `member:${id}`;

function encrypt(key: AccountKey, { id, email, name, data }: StoredMember, salt: Buffer) {
  const record = { id: idOf({ id }), salt };
  const tokens = beginningsOf({ name, email }).map((beginning) => key.tokenOf(beginning));
  const columns: PersonalColumns = {
    email: key.indexOf(email),
    name: key.digestOf(record, 'name', name),
    data: key.digestOf(record, 'data', data),
    personal: key.seal(record, { email, name, data }).toString('hex'),
    lexemes: [],
  };
  return { columns, key: { ...record, tokens } };
}

function inClear(accountId: string, { email, name, data }: StoredMember): PersonalColumns {
  return { email, name, data, personal: null, lexemes: lexemesOf(accountId, { name, email }) };
}
