import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { CredentialThrottle } from '../attempts/credential-throttle.service.js';
import { InviteCodes, type PresentedCode } from './invite-codes.service.js';
import type { InvitationResponse } from './invite.dto.js';
import { InvitedUsers } from './invited-users.service.js';
import { InviteExpired, InviteNotFound } from './invites.errors.js';
import { InvitesRepository, type InviteWithNames } from './invites.repository.js';

/** An invitation, found by one of its codes. */
export interface FoundInvite extends InviteWithNames {
  /** True if the code came by e-mail, so its holder can read the mailbox of the invited person. */
  readonly isMailed: boolean;
}

/**
 * An invitation, with a flag that says if the invited person is already a user. Only the holder of the mailed code sees
 * this.
 */
export type MailedInvitation = InvitationResponse & { readonly userExists: boolean };

/** Finds invitations by code and checks that they can be accepted. */
@Injectable()
export class InvitationReader {
  constructor(
    private readonly repository: InvitesRepository,
    private readonly codes: InviteCodes,
    private readonly users: InvitedUsers,
    private readonly throttle: CredentialThrottle,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the data of an invitation that the holder of a code sees. @throws InviteNotFound. @throws InviteExpired.
   * @throws RateLimited
   */
  async show(code: string, ip: string | undefined): Promise<InvitationResponse> {
    const invite = await this.read(code, ip);
    return invite.isMailed ? this.describeMailed(invite) : describe(invite);
  }

  /** Works like `show`, but accepts only the mailed code. */
  async showMailed(code: string, ip: string | undefined): Promise<MailedInvitation> {
    const invite = await this.read(code, ip);
    if (!invite.isMailed) throw new InviteNotFound();
    return this.describeMailed(invite);
  }

  /**
   * Returns an invitation that can be accepted.
   * @throws InviteNotFound.
   * @throws InviteExpired.
   * @throws RateLimited
   */
  async read(code: string, ip: string | undefined): Promise<FoundInvite> {
    const invite = await this.find(code, ip);
    if (invite.endedAt || invite.expiresAt <= this.clock.now()) throw new InviteExpired(invite);
    return invite;
  }

  /** Returns an invitation, even if it has ended. @throws InviteNotFound. @throws RateLimited */
  find(code: string, ip: string | undefined): Promise<FoundInvite> {
    const isBad = (error: unknown) => error instanceof InviteNotFound;
    return this.throttle.countIfBad(ip, () => this.lookUp(code), isBad);
  }

  private async lookUp(code: string): Promise<FoundInvite> {
    const presented = this.codes.parse(code);
    const invite = presented && (await this.findPresented(presented));
    const kind = invite && this.codes.kindOf(presented, invite);
    if (!kind) throw new InviteNotFound();
    return { ...invite, isMailed: kind === 'mailed' };
  }

  private findPresented({ accountId, id }: PresentedCode): Promise<InviteWithNames | null> {
    return accountId === null ? this.repository.findById(id) : this.repository.find({ accountId, id });
  }

  private async describeMailed(invite: FoundInvite): Promise<MailedInvitation> {
    return { ...describe(invite), userExists: await this.users.exists(invite.email) };
  }
}

function describe({ accountName, inviterName, email, isAdmin, expiresAt }: FoundInvite): InvitationResponse {
  const invitedBy = inviterName === null ? {} : { invitedBy: inviterName };
  return { accountName, email, isAdmin, ...invitedBy, expiry: expiresAt.toISOString() };
}
