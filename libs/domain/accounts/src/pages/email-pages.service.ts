import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { SelfServiceOptions } from '../self-service.options.js';
import { CodeNotValid } from '../credentials/credentials.errors.js';
import { EmailChangesService } from '../credentials/email-changes.service.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';
import { EmailTaken } from '../users/users.errors.js';
import { pageResponse, rejectionOf, type PageResponse } from './page-response.js';
import { brandOf, signInHint, wayBack, wayOn } from './sign-in-hint.js';

/** Serves the page that confirms a new e-mail. */
@Injectable()
export class EmailPagesService {
  constructor(
    private readonly changes: EmailChangesService,
    private readonly users: UserCredentialsRepository,
    private readonly database: Database,
    private readonly options: SelfServiceOptions,
  ) {}

  /** Shows the page without confirming the e-mail, because mail scanners open every link but press no button. */
  async show(code: string, ip: string | undefined): Promise<PageResponse> {
    try {
      const { email } = await this.changes.addressOf(code, ip);
      return pageResponse(200, {
        ...this.options,
        heading: 'Confirm your new e-mail address',
        paragraphs: [['From then on you sign in with ', { strong: email }, '.']],
        form: { action: 'confirm', hidden: { code }, fields: [], button: 'Confirm this address' },
      });
    } catch (error) {
      return this.rejection(error);
    }
  }

  async send(form: URLSearchParams, ip: string | undefined): Promise<PageResponse> {
    try {
      const { uid, email } = await this.changes.confirm(form.get('code') ?? '', ip);
      const accounts = await this.users.listAccounts(this.database.reads, uid);
      return pageResponse(200, {
        ...this.options,
        heading: 'Your e-mail address is changed',
        state: { kind: 'good', text: 'This address is confirmed.' },
        paragraphs: [
          ['Your e-mail is now ', { strong: email }, ', and your password is what it was.'],
          signInHint(accounts, this.options),
        ],
        ...brandOf(accounts),
        ...wayOn(this.options),
      });
    } catch (error) {
      return this.rejection(error);
    }
  }

  private rejection(error: unknown): PageResponse {
    if (error instanceof EmailTaken) {
      return pageResponse(409, {
        ...this.options,
        heading: 'This address is in use already',
        state: { kind: 'ended', text: 'Your e-mail address was not changed.' },
        paragraphs: ['Another user has it by now. Choose another address, or sign in as that user.'],
      });
    }
    if (!(error instanceof CodeNotValid)) return rejectionOf(error, this.options.baseUrl);
    return pageResponse(410, {
      ...this.options,
      heading: 'This link does not work any more',
      state: { kind: 'ended', text: 'Your e-mail address was not changed.' },
      paragraphs: [
        'Such a link works once, within a day, and only the latest one does. If you have confirmed this address before, it is already yours. Otherwise change it again, and use the link in the new e-mail.',
      ],
      ...wayBack(this.options),
    });
  }
}
