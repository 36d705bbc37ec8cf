import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { SelfServiceOptions } from '../self-service.options.js';
import { CodeNotValid } from '../credentials/credentials.errors.js';
import { ForgottenPasswordsService } from '../credentials/forgotten-passwords.service.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';
import { emailError, emailField, newPasswordError, newPasswordField, usernameField } from './form-checks.js';
import { pageResponse, rejectionOf, type PageResponse } from './page-response.js';
import { brandOf, signInHint, wayBack, wayOn } from './sign-in-hint.js';

/** Serves the pages on which users reset a forgotten password. */
@Injectable()
export class PasswordPagesService {
  constructor(
    private readonly forgotten: ForgottenPasswordsService,
    private readonly users: UserCredentialsRepository,
    private readonly database: Database,
    private readonly options: SelfServiceOptions,
  ) {}

  /** Shows the page without using the code, because mail scanners open every link. */
  async showReset(code: string, ip: string | undefined): Promise<PageResponse> {
    try {
      return this.resetForm(200, code, (await this.forgotten.ownerOf(code, ip)).email);
    } catch (error) {
      return this.rejection(error);
    }
  }

  async sendReset(form: URLSearchParams, ip: string | undefined): Promise<PageResponse> {
    const [code, password] = [form.get('code') ?? '', form.get('password') ?? ''];
    try {
      const error = newPasswordError(password);
      if (error) return this.resetForm(400, code, (await this.forgotten.ownerOf(code, ip)).email, error);
      const { uid } = await this.forgotten.reset(code, password, ip);
      return await this.resetDone(uid);
    } catch (error) {
      return this.rejection(error);
    }
  }

  showForgot(email = '', status = 200, error?: string): PageResponse {
    return pageResponse(status, {
      ...this.options,
      heading: 'Ask for a new password',
      paragraphs: ['You will get an e-mail with a link that sets a new password.'],
      form: { fields: [emailField(email, error)], button: 'Send the e-mail' },
      ...wayBack(this.options),
    });
  }

  async sendForgot(form: URLSearchParams, ip: string | undefined): Promise<PageResponse> {
    const email = (form.get('email') ?? '').trim();
    const error = emailError(email);
    if (error) return this.showForgot(email, 400, error);
    try {
      await this.forgotten.forget(email, ip);
    } catch (rejected) {
      return this.rejection(rejected);
    }
    return pageResponse(200, {
      ...this.options,
      heading: 'Look into your mailbox',
      paragraphs: [
        ['If there is a user with the e-mail ', { strong: email }, ', an e-mail with a link is on its way to it.'],
        'The link works once, within an hour. If it does not come, look into the folder for spam.',
      ],
      ...wayBack(this.options),
    });
  }

  private resetForm(status: number, code: string, email: string, error?: string): PageResponse {
    const fields = [usernameField(email), newPasswordField(error)];
    const heading = 'Choose a new password';
    const form = { action: 'reset', hidden: { code }, fields, button: 'Set the password' };
    const notes = ['You will be signed out wherever you are signed in now.'];
    return pageResponse(status, { ...this.options, heading, form, notes });
  }

  private async resetDone(uid: string): Promise<PageResponse> {
    const accounts = await this.users.listAccounts(this.database.reads, uid);
    return pageResponse(200, {
      ...this.options,
      heading: 'Your password is set',
      state: { kind: 'good', text: 'You were signed out everywhere else.' },
      paragraphs: [signInHint(accounts, this.options)],
      ...brandOf(accounts),
      ...wayOn(this.options),
    });
  }

  private rejection(error: unknown): PageResponse {
    if (!(error instanceof CodeNotValid)) return rejectionOf(error, this.options.baseUrl);
    return pageResponse(410, {
      ...this.options,
      heading: 'This link does not work any more',
      state: { kind: 'ended', text: 'Your password has not been changed.' },
      paragraphs: [
        'Such a link works once, within an hour, and only the latest one does. Perhaps you have used it already, or there is a newer e-mail in your mailbox.',
      ],
      links: [{ text: 'Ask for a new e-mail', href: 'forgot' }],
    });
  }
}
