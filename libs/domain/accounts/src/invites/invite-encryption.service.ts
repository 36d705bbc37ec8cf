import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newSalt } from '../personal-data/account-key.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import type { Invite } from './invite.entity.js';

const COLUMN = 'invite.personal';

/** Encrypts and decrypts the addresses that are invited. Of an encrypted one the column `email` holds the index. */
@Injectable()
export class InviteEncryption {
  constructor(private readonly keys: PersonalData) {}

  /** The forms by which the database may know an invited address. */
  formsOf(accountId: string, email: string, tx: EntityManager): Promise<string[]> {
    return this.keys.formsOf(accountId, email, tx);
  }

  /** Decrypts invitations as they were read. What has lost its key, as it was deleted since the back-up, is empty. */
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

  /** The columns of an invitation as they are written. Stores its key. */
  async columnsOf(tx: EntityManager, { accountId, id, email }: Invite): Promise<Pick<Invite, 'email' | 'personal'>> {
    const key = await this.keys.findForWrite(accountId, tx);
    if (!key) return { email, personal: null };
    const record = { id: idOf(id), salt: newSalt() };
    await this.keys.put(tx, accountId, [record]);
    return { email: key.indexOf(email), personal: key.seal(record, COLUMN, { email }) };
  }
}

const idOf = (id: string) => `invite:${id}`;
