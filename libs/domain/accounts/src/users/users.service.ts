import { Injectable } from '@nestjs/common';
import { Clock, newId } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { User } from './user.entity.js';
import { UsersRepository, type LoginRecord } from './users.repository.js';

/** Creates, finds and changes users. */
@Injectable()
export class UsersService {
  constructor(
    private readonly repository: UsersRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws EmailTaken if a user has the e-mail, in upper or lower case, even if two calls are simultaneous */
  async create(tx: EntityManager, user: Pick<User, 'email' | 'name' | 'passwordHash'>): Promise<User> {
    const created: User = { ...user, uid: newId('usr'), createdAt: this.clock.now() };
    await this.repository.insert(tx, created);
    return created;
  }

  /** Changes a locked user. @throws EmailTaken */
  change(tx: EntityManager, uid: string, changes: Partial<Pick<User, 'email' | 'name'>>): Promise<void> {
    return this.repository.change(tx, uid, changes);
  }

  /**
   * Finds the data that a login is checked against. @param accountId the account to log in to; null for the account
   * that the user joined first
   */
  findLogin(email: string, accountId: string | null): Promise<LoginRecord | null> {
    return this.repository.findLogin(email, accountId);
  }

  /** Returns true if the user still has the password that was checked, and locks it until `tx` ends. */
  holdPassword(tx: EntityManager, login: LoginRecord): Promise<boolean> {
    return this.repository.holdPassword(tx, login);
  }
}
