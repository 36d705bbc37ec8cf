import { Injectable } from '@nestjs/common';
import { Forbidden } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AccountsService } from '../accounts/accounts.service.js';
import { ChangedCredentials } from '../credentials/changed-credentials.service.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';
import { UsersRepository } from '../users/users.repository.js';
import { IdentitiesRepository } from './identities.repository.js';
import type { ProvenIdentity } from './identity-provider.service.js';
import { OidcOptions } from './oidc.options.js';

/** A user to link an identity to. */
export interface ProvisionedUser {
  readonly uid: string;
  readonly kind: 'existing' | 'new';
}

/** Finds or creates the user of an identity that signs in for the first time. */
@Injectable()
export class OidcProvisioningService {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly credentials: UserCredentialsRepository,
    private readonly changed: ChangedCredentials,
    private readonly users: UsersRepository,
    private readonly accounts: AccountsService,
    private readonly options: OidcOptions,
  ) {}

  /** Locks and returns the user that an identity is linked to; null if it is not linked. */
  async lockLinked(tx: EntityManager, identity: ProvenIdentity): Promise<string | null> {
    const uid = await this.identities.findUid(tx, identity);
    if (uid === null) return null;
    await this.credentials.lockIfThere(tx, uid);
    return this.identities.findUid(tx, identity);
  }

  /**
   * Returns the user with the verified e-mail, or creates one. @throws Forbidden. @throws EmailTaken if another request
   * registers the e-mail at the same moment
   */
  async userOf(tx: EntityManager, { email, name }: ProvenIdentity, isInvited: boolean): Promise<ProvisionedUser> {
    if (email === null) {
      throw new Forbidden(
        'The identity provider does not say that your e-mail address is verified, so it cannot tell who you are here.',
      );
    }
    const user = await this.credentials.lockByEmail(tx, email);
    if (user === null) return { uid: await this.newUser(tx, { email, name: name ?? email }, isInvited), kind: 'new' };
    // End the old credentials, because a stranger may have registered this e-mail before it was verified.
    await this.changed.identityLinked(tx, user);
    return { uid: user.uid, kind: 'existing' };
  }

  private async newUser(tx: EntityManager, user: { email: string; name: string }, isInvited: boolean): Promise<string> {
    if (!isInvited && this.options.provider?.registration !== 'open') {
      throw new Forbidden(
        `No user has the e-mail address ${user.email}: ask an admin of an account to invite you, and sign in from the ` +
          'link of that e-mail.',
      );
    }
    const { uid } = await this.users.insert(tx, { ...user, passwordHash: null });
    if (isInvited) return uid;
    // Do not name the account after the user, because account names are stored unencrypted and stay in the audit trail.
    const { id: accountId } = await this.accounts.create(tx, { name: 'My account', founder: uid });
    await this.accounts.addMember(tx, accountId, uid, { isAdmin: true });
    return uid;
  }
}
