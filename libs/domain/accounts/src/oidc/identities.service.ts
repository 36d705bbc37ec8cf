import { Injectable } from '@nestjs/common';
import { Clock, Forbidden, Unauthorized } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { InviteAcceptanceService } from '../invites/invite-acceptance.service.js';
import type { FoundInvite } from '../invites/invitation-reader.service.js';
import { InvitedUsers } from '../invites/invited-users.service.js';
import { EmailTaken } from '../users/users.errors.js';
import { IdentitiesRepository } from './identities.repository.js';
import type { ProvenIdentity } from './identity-provider.service.js';
import { OidcProvisioningService } from './oidc-provisioning.service.js';
import { requireConsent, type SignInChange } from './sign-in-consents.service.js';
import type { SignedIn } from './sign-in-codes.service.js';

/** The account, the invitation and the consent of a sign-in. */
export interface SignInAim {
  /** The account to act on; null for the account that the user joined first. */
  readonly accountId: string | null;
  /** The invitation that the sign-in accepts. */
  readonly invite: FoundInvite | null;
  /** The changes that the person has agreed to; null for none. */
  readonly agreed: SignInChange | null;
}

/** Links identities of the provider to users and finds the user of an identity. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly repository: IdentitiesRepository,
    private readonly provisioning: OidcProvisioningService,
    private readonly members: AccountMembersService,
    private readonly invitedUsers: InvitedUsers,
    private readonly acceptance: InviteAcceptanceService,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Finds the user of an identity and the account to act on. Links an unknown identity to the user with its verified
   * e-mail. Creates this user if the e-mail was invited or registration is open. Users join an existing account only
   * through an explicit invitation.
   * @param then opens the session or issues the code in the same transaction, so that a concurrent password reset ends
   * it too
   * @throws ConsentNeeded, without any change, if the person has not agreed to the changes
   * @throws Forbidden if no user matches and none may be created, or if the user is in no account.
   * @throws Unauthorized.
   * @throws InviteExpired
   * @throws LimitExceeded
   */
  async signIn<T>(
    identity: ProvenIdentity,
    aim: SignInAim,
    then: (tx: EntityManager, signedIn: SignedIn) => Promise<T>,
  ): Promise<T> {
    const attempt = () => this.database.transaction(async (tx) => then(tx, await this.find(tx, identity, aim)));
    try {
      return await attempt();
    } catch (error) {
      // Try again after another request has registered the e-mail, because the second attempt finds that user.
      if (error instanceof EmailTaken) return attempt();
      throw error;
    }
  }

  private async find(tx: EntityManager, identity: ProvenIdentity, aim: SignInAim): Promise<SignedIn> {
    const uid = aim.invite ? null : await this.repository.findUid(tx, identity);
    const accountId = uid && (await this.repository.findAccount(tx, uid, aim.accountId));
    if (!uid || !accountId) return this.comeIn(tx, identity, aim);
    await this.repository.holdUser(tx, uid);
    if ((await this.repository.findUid(tx, identity)) === uid) return { uid, accountId };
    throw new Unauthorized('The identity was unlinked at this moment; sign in again: GET /v1/auth/oidc/start.');
  }

  /**
   * Returns the user and the account of an identity, and links a new identity. Locks the identity first, then the
   * account, then the user.
   */
  private async comeIn(tx: EntityManager, identity: ProvenIdentity, aim: SignInAim): Promise<SignedIn> {
    const { invite } = aim;
    await this.repository.lock(tx, identity);
    if (invite) await this.members.lock(tx, invite.accountId);
    const known = await this.provisioning.lockLinked(tx, identity);
    const { uid, kind } =
      known === null ? await this.provisioning.userOf(tx, identity, invite !== null) : { uid: known, kind: null };
    const joins = invite !== null && (await this.accept(tx, uid, invite));
    const accountId = await this.repository.findAccount(tx, uid, aim.accountId ?? invite?.accountId ?? null);
    if (accountId === null) {
      throw new Forbidden(
        'You are in no account now: ask an admin of one to invite you, and sign in from the link of that e-mail.',
      );
    }
    if (joins || kind !== null) {
      // Check consent last, because a failed sign-in needs none. ConsentNeeded rolls back the changes above.
      const { accountName = '', isAdmin = false } = invite ?? {};
      const email = await this.invitedUsers.emailOf(tx, uid);
      const founds = kind === 'new' && invite === null;
      requireConsent({ email, joins: joins ? { accountName, isAdmin } : null, links: kind, founds }, aim.agreed);
    }
    if (known === null) await this.link(tx, identity, { uid, accountId });
    return { uid, accountId };
  }

  /** Accepts the invitation, unless the user is already in the account. @returns true if the user joined */
  private async accept(tx: EntityManager, uid: string, invite: FoundInvite): Promise<boolean> {
    await this.invitedUsers.requireInvited(tx, uid, invite.email);
    if (await this.members.has(tx, invite.accountId, uid)) return false;
    await this.acceptance.admit(tx, invite, () => Promise.resolve(uid));
    return true;
  }

  private async link(tx: EntityManager, { issuer, subject }: ProvenIdentity, { uid, accountId }: SignedIn) {
    await this.repository.insert(tx, { issuer, subject, uid, createdAt: this.clock.now() });
    await this.auditLog.record(tx, {
      accountId,
      action: 'user.identity_linked',
      target: { kind: 'user', id: uid },
      after: { issuer },
      actor: { kind: 'user', id: uid },
    });
  }
}
