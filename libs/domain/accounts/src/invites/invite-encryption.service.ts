import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newSalt } from '../personal-data/account-key.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import type { Invite } from './invite.entity.js';

const COLUMN = 'invite.personal';

/**
 * Encrypts and decrypts invited e-mail addresses. For an encrypted address, the column `email` holds its blind index.
 */
@Injectable()
export class InviteEncryption {
  constructor(private readonly keys: PersonalData) {}

  /** Returns the forms in which the database may store an invited e-mail address. */
  formsOf(accountId: string, email: string, tx: EntityManager): Promise<string[]> {
    return this.keys.formsOf(accountId, email, tx);
  }

  /**
   * Decrypts invitations that were read from the database. The e-mail is empty if its key was deleted, for example by
   * an erasure.
   */
  async openAll<One extends Invite>(invites: One[], tx?: EntityManager): Promise<One[]> {
    for (const invite of invites) {
      const { accountId, id, personal, salt } = invite;
      invite.personal = undefined;
      invite.salt = undefined;
      if (!personal) continue;
      const key = salt && (await this.keys.find(accountId, tx));
      const opened = key && key.open<Pick<Invite, 'email'>>({ id: idOf(id), salt }, COLUMN, personal);
      Object.assign(invite, opened ?? { email: '' });
    }
    return invites;
  }

  /** Stores the encryption key of an invitation, and returns the columns to write for it. */
  async columnsOf(tx: EntityManager, { accountId, id, email }: Invite): Promise<Pick<Invite, 'email' | 'personal'>> {
    const key = await this.keys.findForWrite(accountId, tx);
    if (!key) return { email, personal: null };
    const record = { id: idOf(id), salt: newSalt() };
    await this.keys.put(tx, accountId, [record]);
    return { email: key.indexOf(email), personal: key.encrypt(record, COLUMN, { email }) };
  }
}

const idOf = (id: string) => `invite:${id}`;
