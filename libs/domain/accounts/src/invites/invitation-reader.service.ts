import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { CredentialThrottle } from '../attempts/credential-throttle.service.js';
import { InviteCodes } from './invite-codes.service.js';
import type { InvitationResponse } from './invite.dto.js';
import { InvitedUsers } from './invited-users.service.js';
import { InviteExpired, InviteNotFound } from './invites.errors.js';
import { InvitesRepository, type InviteWithNames } from './invites.repository.js';

/** An invitation, found by one of its codes. */
export interface FoundInvite extends InviteWithNames {
  /** Whether by the one that was mailed: then its holder reads the mails of the invited. */
  readonly isMailed: boolean;
}

/** What the holder of a mailed code is told. */
export type MailedInvitation = InvitationResponse & { readonly userExists: boolean };

/** Invitations, as those who hold a code see them. */
@Injectable()
export class InvitationReader {
  constructor(
    private readonly repository: InvitesRepository,
    private readonly codes: InviteCodes,
    private readonly users: InvitedUsers,
    private readonly throttle: CredentialThrottle,
    private readonly clock: Clock,
  ) {}

  /** What the invited is shown. @throws InviteNotFound. @throws InviteExpired. @throws RateLimited */
  async show(code: string, ip: string | undefined): Promise<InvitationResponse> {
    const invite = await this.read(code, ip);
    return invite.isMailed ? this.describeMailed(invite) : describe(invite);
  }

  /** As `show`, for the mailed code alone. */
  async showMailed(code: string, ip: string | undefined): Promise<MailedInvitation> {
    const invite = await this.read(code, ip);
    if (!invite.isMailed) throw new InviteNotFound();
    return this.describeMailed(invite);
  }

  /** An invitation that can be accepted. @throws InviteNotFound. @throws InviteExpired. @throws RateLimited */
  async read(code: string, ip: string | undefined): Promise<FoundInvite> {
    const invite = await this.find(code, ip);
    if (invite.endedAt || invite.expiresAt <= this.clock.now()) throw new InviteExpired(invite);
    return invite;
  }

  /** An invitation, also one that has ended. @throws InviteNotFound. @throws RateLimited */
  find(code: string, ip: string | undefined): Promise<FoundInvite> {
    const isBad = (error: unknown) => error instanceof InviteNotFound;
    return this.throttle.countIfBad(ip, () => this.lookUp(code), isBad);
  }

  private async lookUp(code: string): Promise<FoundInvite> {
    const presented = this.codes.parse(code);
    const invite = presented && (await this.repository.findOfCode(presented.id));
    const kind = invite && this.codes.kindOf(presented, invite);
    if (!kind) throw new InviteNotFound();
    return { ...invite, isMailed: kind === 'mailed' };
  }

  private async describeMailed(invite: FoundInvite): Promise<MailedInvitation> {
    return { ...describe(invite), userExists: await this.users.exists(invite.email) };
  }
}

function describe({ accountName, inviterName, email, isAdmin, expiresAt }: FoundInvite): InvitationResponse {
  const invitedBy = inviterName === null ? {} : { invitedBy: inviterName };
  return { accountName, email, isAdmin, ...invitedBy, expiry: expiresAt.toISOString() };
}
