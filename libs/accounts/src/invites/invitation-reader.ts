import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { CredentialThrottle } from '../auth/credential-throttle.js';
import { UserAccountsRepository } from '../users/user-accounts.repository.js';
import { InviteCodes } from './invite-codes.js';
import type { InvitationResponse } from './invite.dto.js';
import { InviteExpired, InviteNotFound } from './invites.errors.js';
import { InvitesRepository, type InviteWithNames } from './invites.repository.js';

/** Invitations, as those who hold a code see them. */
@Injectable()
export class InvitationReader {
  constructor(
    private readonly repository: InvitesRepository,
    private readonly codes: InviteCodes,
    private readonly users: UserAccountsRepository,
    private readonly throttle: CredentialThrottle,
    private readonly clock: Clock,
  ) {}

  /** What the invited is shown. @throws InviteNotFound. @throws InviteExpired. @throws RateLimited */
  async show(code: string, ip: string | undefined): Promise<InvitationResponse> {
    const { accountName, inviterName, email, isAdmin, expiresAt } = await this.read(code, ip);
    const user = await this.users.findKnown(email);
    return {
      accountName,
      email,
      isAdmin,
      ...(inviterName !== null && { invitedBy: inviterName }),
      expiry: expiresAt.toISOString(),
      userExists: user?.isInAccount === true,
    };
  }

  /** An invitation that can be accepted. @throws InviteNotFound. @throws InviteExpired. @throws RateLimited */
  async read(code: string, ip: string | undefined): Promise<InviteWithNames> {
    const isBad = (error: unknown) => error instanceof InviteNotFound;
    const invite = await this.throttle.countIfBad(ip, () => this.find(code), isBad);
    if (invite.endedAt || invite.expiresAt <= this.clock.now()) throw new InviteExpired(invite);
    return invite;
  }

  private async find(code: string): Promise<InviteWithNames> {
    const presented = this.codes.parse(code);
    const invite = presented && (await this.repository.findOfCode(presented.id));
    if (!invite || !this.codes.isCodeOf(presented, invite)) throw new InviteNotFound();
    return invite;
  }
}
