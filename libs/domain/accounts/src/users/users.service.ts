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

  /** @throws EmailTaken also if only the case differs, and for the later of two simultaneous calls */
  async create(tx: EntityManager, user: Pick<User, 'email' | 'name' | 'passwordHash'>): Promise<User> {
    const created: User = { ...user, uid: newId('usr'), createdAt: this.clock.now() };
    await this.repository.insert(tx, created);
    return created;
  }

  /** Changes a locked user. @throws EmailTaken */
  change(tx: EntityManager, uid: string, changes: Partial<Pick<User, 'email' | 'name'>>): Promise<void> {
    return this.repository.change(tx, uid, changes);
  }

  /** @param accountId the account to log in to; null for the account the user has been in longest */
  findLogin(email: string, accountId: string | null): Promise<LoginRecord | null> {
    return this.repository.findLogin(email, accountId);
  }

  /** Returns true if the checked login data is still current, and locks it until `tx` ends. */
  holdPassword(tx: EntityManager, login: LoginRecord): Promise<boolean> {
    return this.repository.holdPassword(tx, login);
  }
}
