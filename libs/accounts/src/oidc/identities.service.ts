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
import { OpenInvites } from './open-invites.js';
import type { SignedIn } from './sign-in-codes.js';

/** Which of our users a provider's identity is. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly repository: IdentitiesRepository,
    private readonly invites: OpenInvites,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly options: OidcOptions,
    private readonly users: UsersService,
    private readonly accounts: AccountsService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * The user of an identity and the account they act on: the one asked for where they are in it, else the one they have
   * been in longest. An identity that is not known yet is linked to the user who has its verified e-mail, or to a new one
   * when that was invited. Who is in no account comes into those that have invited them.
   * @throws Forbidden where there is no such user, or nobody has invited them
   */
  signIn(identity: ProvenIdentity, askedAccountId: string | null): Promise<SignedIn> {
    return this.database.transaction(async (tx) => {
      const uid = await this.repository.findUid(tx, identity);
      const accountId = uid && (await this.repository.findAccount(tx, uid, askedAccountId));
      return uid && accountId ? { uid, accountId } : this.comeIn(tx, identity, askedAccountId);
    });
  }

  private async comeIn(tx: EntityManager, identity: ProvenIdentity, asked: string | null): Promise<SignedIn> {
    await this.repository.lock(tx, identity);
    const invites = identity.email === null ? [] : await this.invites.lock(tx, identity.email);
    // Linked meanwhile, by another sign-in of the same person.
    const known = await this.repository.findUid(tx, identity);
    const uid = known ?? (await this.userOf(tx, identity, invites.length > 0));
    if (!(await this.repository.findAccount(tx, uid, null))) await this.invites.accept(tx, uid, invites);
    const accountId = await this.repository.findAccount(tx, uid, asked);
    if (accountId === null) throw new Forbidden('You are in no account now; ask an admin of one to invite you.');
    if (known === null) await this.link(tx, identity, { uid, accountId });
    return { uid, accountId };
  }

  private async link(tx: EntityManager, { issuer, subject }: ProvenIdentity, { uid, accountId }: SignedIn) {
    await this.repository.insert(tx, { issuer, subject, uid, createdAt: this.clock.now() });
    await this.audit.record(tx, {
      accountId,
      action: 'user.identity_linked',
      target: { kind: 'user', id: uid },
      after: { issuer },
      actor: { kind: 'user', id: uid },
    });
  }

  private async userOf(tx: EntityManager, { email, name }: ProvenIdentity, isInvited: boolean): Promise<string> {
    if (email === null) {
      throw new Forbidden(
        'The identity provider does not say that your e-mail address is verified, so it cannot tell who you are here.',
      );
    }
    const uid = await this.repository.findUserByEmail(tx, email);
    if (uid === null) return this.newUser(tx, { email, name: name ?? email }, isInvited);
    // Nobody has proven until now that the address is theirs: whoever registered it first may be a stranger lying in wait.
    await this.repository.endOtherWaysIn(tx, uid);
    return uid;
  }

  private async newUser(tx: EntityManager, user: { email: string; name: string }, isInvited: boolean): Promise<string> {
    if (!isInvited && this.options.provider?.registration !== 'open') {
      throw new Forbidden(
        `Nobody here has the e-mail address ${user.email}; ask an admin of an account to invite you.`,
      );
    }
    const { uid } = await this.users.create(tx, { ...user, passwordHash: null });
    if (isInvited) return uid;
    const { id: accountId } = await this.accounts.create(tx, { name: user.name });
    await this.accounts.addMember(tx, accountId, uid, { isAdmin: true });
    return uid;
  }
}
