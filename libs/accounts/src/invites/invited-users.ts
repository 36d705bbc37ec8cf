import { Injectable } from '@nestjs/common';
import { Forbidden } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { Passwords } from '../auth/passwords.js';
import { UserAccountsRepository } from '../users/user-accounts.repository.js';
import { UsersService } from '../users/users.service.js';
import { InvitedUserExists } from './invites.errors.js';

/** Who the invited want to be. */
export interface NewUser {
  readonly name: string;
  readonly password: string;
}

/** What is done outside of the transaction is done. */
export interface PreparedUser {
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string;
}

/** As whom the invited come in. */
@Injectable()
export class InvitedUsers {
  constructor(
    private readonly users: UsersService,
    private readonly repository: UserAccountsRepository,
    private readonly passwords: Passwords,
  ) {}

  /** @returns the uid. @throws Forbidden when the user has another e-mail than was invited */
  async requireInvited(tx: EntityManager, uid: string, email: string): Promise<string> {
    const user = await this.repository.getForUpdate(tx, uid);
    if (user.email.toLowerCase() === email.toLowerCase()) return uid;
    throw new Forbidden('The invitation is for another e-mail than that of your user; log in as who was invited.');
  }

  /** @throws InvitedUserExists. @throws RateLimited */
  async prepare({ name, password }: NewUser, email: string): Promise<PreparedUser> {
    if ((await this.repository.findKnown(email))?.isInAccount) throw new InvitedUserExists();
    return { name, email, passwordHash: await this.passwords.hash(password) };
  }

  /**
   * Makes a user. One who is in no account any more, and so cannot log in, is taken over: the code has come to their address,
   * as one for a new password would.
   * @returns the uid. @throws InvitedUserExists. @throws EmailTaken for the later of two at once
   */
  async create(tx: EntityManager, { name, email, passwordHash }: PreparedUser): Promise<string> {
    const known = await this.repository.findKnownForUpdate(tx, email);
    if (!known) return (await this.users.create(tx, { email, name, passwordHash })).uid;
    if (known.isInAccount) throw new InvitedUserExists();
    await this.repository.update(tx, known.uid, { name, passwordHash });
    return known.uid;
  }
}
