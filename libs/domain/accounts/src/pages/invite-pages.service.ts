import { Injectable } from '@nestjs/common';
import { Forbidden, LimitExceeded, Unauthorized } from '@passwright/core';
import { SelfServiceOptions } from '../self-service.options.js';
import { PasswordWrong } from '../credentials/credentials.errors.js';
import { OwnPassword } from '../credentials/own-password.service.js';
import { UserCredentialsRepository, type UserCredentials } from '../users/user-credentials.repository.js';
import { InvitationReader, type MailedInvitation } from '../invites/invitation-reader.service.js';
import { InviteAcceptanceService } from '../invites/invite-acceptance.service.js';
import type { NewUser } from '../invites/invited-users.service.js';
import { InviteExpired, InvitedUserExists, InviteNotFound } from '../invites/invites.errors.js';
import { EmailTaken } from '../users/users.errors.js';
import {
  currentPasswordField,
  nameError,
  nameField,
  newPasswordError,
  newPasswordField,
  usernameField,
} from './form-checks.js';
import type { PageText } from './form-page.js';
import { pageResponse, rejectionOf, type PageResponse } from './page-response.js';
import { signInHint, wayOn } from './sign-in-hint.js';

/** The values of a form and their errors. */
interface Filled {
  readonly name: string;
  readonly nameError?: string | undefined;
  readonly passwordError?: string | undefined;
}

/** Serves the page that accepts an invitation. */
@Injectable()
export class InvitePagesService {
  constructor(
    private readonly reader: InvitationReader,
    private readonly acceptance: InviteAcceptanceService,
    private readonly ownPassword: OwnPassword,
    private readonly users: UserCredentialsRepository,
    private readonly options: SelfServiceOptions,
  ) {}

  async show(code: string, ip: string | undefined): Promise<PageResponse> {
    try {
      return this.form(200, code, await this.reader.showMailed(code, ip));
    } catch (error) {
      return this.rejection(error);
    }
  }

  async send(code: string, form: URLSearchParams, ip: string | undefined): Promise<PageResponse> {
    const [name, password] = [form.get('name') ?? '', form.get('password') ?? ''];
    try {
      const invitation = await this.reader.showMailed(code, ip);
      if (invitation.userExists) return await this.acceptAsUser(code, invitation, password, ip);
      const filled = { name, nameError: nameError(name), passwordError: newPasswordError(password) };
      if (filled.nameError ?? filled.passwordError) return this.form(400, code, invitation, filled);
      return await this.accept(code, invitation, { name, password }, ip);
    } catch (error) {
      return this.rejection(error);
    }
  }

  private async acceptAsUser(code: string, invitation: MailedInvitation, password: string, ip: string | undefined) {
    const uid = await this.users.findUid(invitation.email);
    if (uid === null) throw new InviteNotFound();
    try {
      return await this.accept(code, invitation, await this.ownPassword.check(uid, password, 'password', ip), ip);
    } catch (error) {
      if (!(error instanceof PasswordWrong)) throw error;
      return this.form(400, code, invitation, { name: '', passwordError: 'This is not the password of this user.' });
    }
  }

  private async accept(
    code: string,
    { accountName, email }: MailedInvitation,
    who: NewUser | UserCredentials,
    ip: string | undefined,
  ): Promise<PageResponse> {
    await this.acceptance.acceptOnly(code, who, ip);
    return pageResponse(200, {
      ...this.options,
      heading: 'Welcome',
      state: { kind: 'good', text: 'The invitation is accepted.' },
      paragraphs: [
        ['You are now in the account ', { strong: accountName }, ', with the e-mail ', { strong: email }, '.'],
        signInHint([{ name: accountName }], this.options),
      ],
      brand: accountName,
      ...wayOn(this.options),
    });
  }

  private form(
    status: number,
    code: string,
    invitation: MailedInvitation,
    filled: Filled = { name: '' },
  ): PageResponse {
    const { email, userExists } = invitation;
    const fields = userExists
      ? [usernameField(email), currentPasswordField(filled.passwordError)]
      : [
          usernameField(email),
          nameField(filled.name, filled.nameError),
          newPasswordField(filled.passwordError, 'Password'),
        ];
    return pageResponse(status, {
      ...this.options,
      brand: invitation.accountName,
      heading: 'You are invited',
      paragraphs: introductionOf(invitation),
      form: { fields, button: 'Accept the invitation' },
      links: this.linksOf(code, userExists),
      notes: ['The invitation is for this address alone. Not your address? Ask for a new invitation.'],
    });
  }

  private linksOf(code: string, userExists: boolean): { text: string; href: string }[] {
    const forgotten = { text: 'You have no password, or have forgotten it?', href: '../password/forgot' };
    const start = `../v1/auth/oidc/start?invite=${encodeURIComponent(code)}`;
    const provider = { text: 'Accept by signing in with your identity provider', href: start };
    return [...(userExists ? [forgotten] : []), ...(this.options.signsInByProvider ? [provider] : [])];
  }

  private rejection(error: unknown): PageResponse {
    const { baseUrl } = this.options;
    const rejected = (status: number, heading: string, text: string, then: string) =>
      pageResponse(status, { baseUrl, heading, state: { kind: 'ended', text }, paragraphs: [then] });
    if (error instanceof InviteNotFound) {
      const then = 'Check that the address was copied whole, or ask for a new invitation.';
      return rejected(404, 'There is no such invitation', 'This link does not lead to an invitation.', then);
    }
    if (error instanceof InviteExpired) {
      const then =
        'An invitation works once, for a week, and ends early if it is withdrawn or replaced. If you have accepted it, sign in. Otherwise use the latest e-mail, or ask for a new invitation.';
      return rejected(410, 'This invitation has ended', 'It cannot be accepted any more.', then);
    }
    if (error instanceof InvitedUserExists || error instanceof EmailTaken) {
      const then = 'Open the link in the e-mail again, and accept with the password of that user.';
      return rejected(409, 'A user with this e-mail exists now', 'The invitation was not accepted.', then);
    }
    if (error instanceof LimitExceeded) {
      return rejected(403, 'The account is full', 'The invitation was not accepted.', error.message);
    }
    if (error instanceof Forbidden || error instanceof Unauthorized) {
      const then = 'Something has changed since you opened the link. Open it again, and try once more.';
      return rejected(error.statusCode, 'You cannot join this way', 'The invitation was not accepted.', then);
    }
    return rejectionOf(error, baseUrl);
  }
}

function introductionOf({ accountName, invitedBy, isAdmin, userExists }: MailedInvitation): PageText[] {
  const inviter = invitedBy === undefined ? ['You are invited'] : [{ strong: invitedBy }, ' invites you'];
  return [
    [...inviter, ' to the account ', { strong: accountName }, isAdmin ? ' as an admin.' : '.'],
    userExists
      ? 'A user with your e-mail exists already: accept with the password of that user.'
      : 'Enter your name, and choose a password to sign in with.',
  ];
}
