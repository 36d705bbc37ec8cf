import { Injectable } from '@nestjs/common';
import { Clock, newId } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { User } from './user.entity.js';
import { UsersRepository, type LoginRecord } from './users.repository.js';

/** The people who sign in. */
@Injectable()
export class UsersService {
  constructor(
    private readonly repository: UsersRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws EmailTaken also when only the case of letters differs, and for the later of two at once */
  async create(tx: EntityManager, user: Pick<User, 'email' | 'name' | 'passwordHash'>): Promise<User> {
    const created: User = { ...user, uid: newId('usr'), createdAt: this.clock.now() };
    await this.repository.insert(tx, created);
    return created;
  }

  /** Changes a locked user. @throws EmailTaken */
  change(tx: EntityManager, uid: string, changes: Partial<Pick<User, 'email' | 'name'>>): Promise<void> {
    return this.repository.change(tx, uid, changes);
  }

  /** @param accountId the account to log in to; null for the one the user has been in longest */
  findLogin(email: string, accountId: string | null): Promise<LoginRecord | null> {
    return this.repository.findLogin(email, accountId);
  }

  /** Whether what a login was checked against still holds; from here on it does until `tx` ends. */
  holdPassword(tx: EntityManager, login: LoginRecord): Promise<boolean> {
    return this.repository.holdPassword(tx, login);
  }
}
