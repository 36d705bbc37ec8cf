import { Injectable } from '@nestjs/common';
import { Forbidden } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { LoginThrottle } from '../attempts/login-throttle.service.js';
import { Passwords } from '../credentials/passwords.service.js';
import { ChangedCredentials } from '../credentials/changed-credentials.service.js';
import { PasswordWrong } from '../credentials/credentials.errors.js';
import { UserCredentialsRepository, type UserCredentials } from '../users/user-credentials.repository.js';
import { UserAccountsRepository } from '../users/user-accounts.repository.js';
import { UsersRepository } from '../users/users.repository.js';
import { InvitedUserExists } from './invites.errors.js';

/** The name and password that the invited person has chosen. */
export interface NewUser {
  readonly name: string;
  readonly password: string;
}

/** A new user and the invited e-mail address. */
export interface InvitedUser extends NewUser {
  readonly email: string;
  /** True if the user has entered the mailed code, which proves the e-mail address. */
  readonly isMailed: boolean;
}

/** An invited user whose password was hashed before the transaction. */
export type PreparedUser = Omit<InvitedUser, 'password'> & { readonly passwordHash: string };

/** The message does not reveal that the e-mail belongs to a user, or that this user is in an account. */
export const mailedCodeNeeded =
  'This code admits only a new user who will not be an admin: use the link of the e-mail, whose code proves that the address is yours.';

/** Finds, checks and creates the users that accept invitations. */
@Injectable()
export class InvitedUsers {
  constructor(
    private readonly users: UsersRepository,
    private readonly repository: UserAccountsRepository,
    private readonly credentials: UserCredentialsRepository,
    private readonly changed: ChangedCredentials,
    private readonly passwords: Passwords,
    private readonly logins: LoginThrottle,
  ) {}

  /** Remembers the IP address from which a new user has chosen the password. */
  cameIn(uid: string, { email }: Pick<InvitedUser, 'email'>, ip: string | undefined): Promise<void> {
    return this.logins.cameIn(uid, email, ip);
  }

  /**
   * Checks that a user may accept an invitation of `email`. @returns the uid. @throws Forbidden if the user has another
   * e-mail
   */
  async requireInvited(tx: EntityManager, uid: string, email: string): Promise<string> {
    const user = await this.repository.getForUpdate(tx, uid);
    if (user.email.toLowerCase() === email.toLowerCase()) return uid;
    throw new Forbidden('The invitation is for another e-mail than that of your user; log in as who was invited.');
  }

  async emailOf(tx: EntityManager, uid: string): Promise<string> {
    return (await this.repository.getForUpdate(tx, uid)).email;
  }

  /**
   * Works like `requireInvited`, for a user whose password was checked. @throws PasswordWrong if the password has
   * changed since the check
   */
  async requireUnchanged(tx: EntityManager, { uid, passwordHash }: UserCredentials, email: string): Promise<string> {
    const present = await this.credentials.lock(tx, uid);
    if (present.passwordHash !== passwordHash) throw new PasswordWrong('password');
    return this.requireInvited(tx, uid, email);
  }

  /** @throws InvitedUserExists. @throws Forbidden. @throws RateLimited */
  async prepare({ name, password, email, isMailed }: InvitedUser): Promise<PreparedUser> {
    if (!isMailed && (await this.credentials.findUid(email)) !== null) throw new Forbidden(mailedCodeNeeded);
    if (await this.exists(email)) throw new InvitedUserExists();
    return { name, email, isMailed, passwordHash: await this.passwords.hash(password) };
  }

  /**
   * Creates a user. With the mailed code, which proves the e-mail address, an existing user without an account gets the
   * new name and password instead, and loses all old credentials.
   * @returns the uid.
   * @throws InvitedUserExists.
   * @throws Forbidden.
   * @throws EmailTaken for the second of two simultaneous calls
   */
  async create(tx: EntityManager, { name, email, passwordHash, isMailed }: PreparedUser): Promise<string> {
    const known = await this.credentials.lockByEmail(tx, email);
    if (!known) return (await this.users.insert(tx, { email, name, passwordHash })).uid;
    if (!isMailed) throw new Forbidden(mailedCodeNeeded);
    if (await this.repository.isInAccount(known.uid, tx)) throw new InvitedUserExists();
    await this.users.change(tx, known.uid, { name });
    await this.changed.passwordReset(tx, known.uid, passwordHash);
    return known.uid;
  }

  /** Returns true if a user with this e-mail exists and is in an account. */
  async exists(email: string): Promise<boolean> {
    const uid = await this.credentials.findUid(email);
    return uid !== null && this.repository.isInAccount(uid);
  }
}
