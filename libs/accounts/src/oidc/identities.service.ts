import { Injectable } from '@nestjs/common';
import { Clock, Forbidden } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { UsersService } from '../users/users.service.js';
import { IdentitiesRepository } from './identities.repository.js';
import type { ProvenIdentity } from './identity-provider.js';
import { OidcOptions } from './oidc.options.js';
import type { SignedIn } from './sign-in-codes.js';

/** Which of our users a provider's identity is. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly repository: IdentitiesRepository,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly options: OidcOptions,
    private readonly users: UsersService,
    private readonly accounts: AccountsService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * The user of an identity and the account they act on: the one asked for where they are in it, else the one they have
   * been in longest. An identity that is not known yet is linked to the user who has its verified e-mail.
   * @throws Forbidden where there is no such user, or they are in no account
   */
  signIn(identity: ProvenIdentity, askedAccountId: string | null): Promise<SignedIn> {
    return this.database.transaction(async (tx) => {
      const known = await this.repository.findUid(tx, identity);
      if (known !== null) return { uid: known, accountId: await this.accountOf(tx, known, askedAccountId) };
      await this.repository.lock(tx, identity);
      return this.link(tx, identity, askedAccountId);
    });
  }

  private async link(tx: EntityManager, identity: ProvenIdentity, askedAccountId: string | null): Promise<SignedIn> {
    // Linked meanwhile, by another sign-in of the same person.
    const known = await this.repository.findUid(tx, identity);
    const uid = known ?? (await this.userOf(tx, identity));
    const accountId = await this.accountOf(tx, uid, askedAccountId);
    if (known !== null) return { uid, accountId };
    const { issuer, subject } = identity;
    await this.repository.insert(tx, { issuer, subject, uid, createdAt: this.clock.now() });
    await this.audit.record(tx, {
      accountId,
      action: 'user.identity_linked',
      target: { kind: 'user', id: uid },
      after: { issuer },
      actor: { kind: 'user', id: uid },
    });
    return { uid, accountId };
  }

  private async userOf(tx: EntityManager, { email, name }: ProvenIdentity): Promise<string> {
    if (email === null) {
      throw new Forbidden(
        'The identity provider does not say that your e-mail address is verified, so it cannot tell who you are here.',
      );
    }
    const uid = await this.repository.findUserByEmail(tx, email);
    if (uid === null) return this.newUser(tx, email, name ?? email);
    // Nobody has proven until now that the address is theirs: whoever registered it first may be a stranger lying in wait.
    await this.repository.endOtherWaysIn(tx, uid);
    return uid;
  }

  private async newUser(tx: EntityManager, email: string, name: string): Promise<string> {
    if (this.options.provider?.registration !== 'open') {
      throw new Forbidden(`Nobody here has the e-mail address ${email}; ask an admin of your account to invite you.`);
    }
    const { uid } = await this.users.create(tx, { email, name, passwordHash: null });
    const { id: accountId } = await this.accounts.create(tx, { name });
    await this.accounts.addMember(tx, accountId, uid, { isAdmin: true });
    return uid;
  }

  private async accountOf(tx: EntityManager, uid: string, asked: string | null): Promise<string> {
    const accountId = await this.repository.findAccount(tx, uid, asked);
    if (accountId !== null) return accountId;
    throw new Forbidden('You are in no account now; ask an admin of one to invite you.');
  }
}
