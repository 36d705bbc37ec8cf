import { Injectable, Logger } from '@nestjs/common';
import { Clock, loggedError, type Mail, Mailer, MailRejected } from '@passwright/core';
import { Database } from '@passwright/database';
import { JobHandler } from '@passwright/jobs';
import { SelfServiceOptions } from '../self-service.options.js';
import {
  changedEmailMail,
  changedPasswordMail,
  confirmEmailMail,
  emailTakenMail,
  forgottenPasswordMail,
  linkedIdentityMail,
} from './credential-mails.js';
import {
  EmailChangeAsked,
  EmailChanged,
  IdentityLinked,
  PasswordChanged,
  PasswordForgotten,
} from './credentials.jobs.js';
import { EncryptedEmails } from './encrypted-emails.service.js';
import { newUserCode, PASSWORD_CODE_MS, userCodeHash } from './user-codes.js';
import { UserCodesRepository } from './user-codes.repository.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';

/**
 * Sends the mails about a user's credentials. Creates the codes itself, so that they appear only in the mails and not
 * in the job queue.
 */
@Injectable()
export class CredentialMailsHandlers {
  private readonly logger = new Logger('Credentials');

  constructor(
    private readonly database: Database,
    private readonly users: UserCredentialsRepository,
    private readonly codes: UserCodesRepository,
    private readonly emails: EncryptedEmails,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly options: SelfServiceOptions,
  ) {}

  /** Creates a code and sends it. A retry creates another code, which replaces the former one. */
  @JobHandler(PasswordForgotten)
  async sendPasswordCode({ uid }: PasswordForgotten['payload']): Promise<void> {
    const [code, now] = [newUserCode(), this.clock.now()];
    const expiresAt = new Date(now.getTime() + PASSWORD_CODE_MS);
    const row = { uid, codeHash: userCodeHash(code), email: null, accountId: null, expiresAt, createdAt: now };
    // Lock the user before reading the e-mail. A concurrent change of the e-mail then either comes first or ends this
    // code.
    const user = await this.database.transaction(async (tx) => {
      const locked = await this.users.lockIfThere(tx, uid);
      if (locked) await this.codes.put(tx, { ...row, purpose: 'password' });
      return locked;
    });
    if (!user) return;
    await this.send(uid, { to: user.email, ...forgottenPasswordMail(this.options, code) });
  }

  @JobHandler(PasswordChanged)
  async notifyOfPassword({ uid, at }: PasswordChanged['payload']): Promise<void> {
    const user = await this.users.find(uid);
    if (!user) return;
    const mail = changedPasswordMail(this.options, new Date(at));
    await this.send(uid, { id: `password-changed:${uid}:${at}`, to: user.email, ...mail });
  }

  @JobHandler(IdentityLinked)
  async notifyOfIdentity({ uid, at }: IdentityLinked['payload']): Promise<void> {
    const user = await this.users.find(uid);
    if (!user) return;
    const mail = linkedIdentityMail(this.options, new Date(at));
    await this.send(uid, { id: `identity-linked:${uid}:${at}`, to: user.email, ...mail });
  }

  /** Sends the code. Does nothing if the e-mail change was already made, replaced or cancelled. */
  @JobHandler(EmailChangeAsked)
  async sendEmailCode({ uid }: EmailChangeAsked['payload']): Promise<void> {
    const code = newUserCode();
    const renewed = { uid, purpose: 'email', codeHash: userCodeHash(code) } as const;
    const change = await this.database.transaction((tx) => this.codes.renew(tx, renewed, this.clock.now()));
    if (!change?.email) return;
    const owner = await this.users.findUid(change.email);
    const isTaken = owner !== null && owner !== uid;
    const mail = isTaken ? emailTakenMail(this.options) : confirmEmailMail(this.options, code);
    await this.send(uid, { to: change.email, ...mail });
  }

  @JobHandler(EmailChanged)
  async notifyOfEmail({ uid, formerEmail, at }: EmailChanged['payload']): Promise<void> {
    const to = await this.emails.open(uid, formerEmail);
    if (to === null) return;
    await this.send(uid, { id: `email-changed:${uid}:${at}`, to, ...changedEmailMail(this.options, new Date(at)) });
  }

  /** @throws the mailer's error if a retry may succeed */
  private async send(uid: string, mail: Mail): Promise<void> {
    try {
      await this.mailer.send(mail);
    } catch (error) {
      if (!(error instanceof MailRejected)) throw error;
      this.logger.warn(`A mail “${mail.subject}” of the user ${uid} is given up: ${loggedError(error).message}`);
    }
  }
}
