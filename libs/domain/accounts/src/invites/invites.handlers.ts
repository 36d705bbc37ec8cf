import { Injectable, Logger } from '@nestjs/common';
import { Clock, loggedError, Mailer, MailRejected } from '@passwright/core';
import { JobHandler } from '@passwright/jobs';
import { SelfServiceOptions } from '../self-service.options.js';
import { InviteCodes } from './invite-codes.service.js';
import { inviteMail } from './invite-mail.js';
import { InviteSent } from './invites.jobs.js';
import { InvitesRepository } from './invites.repository.js';

/** Sends invitation e-mails. */
@Injectable()
export class InvitesHandlers {
  private readonly logger = new Logger('Invites');

  constructor(
    private readonly repository: InvitesRepository,
    private readonly codes: InviteCodes,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly options: SelfServiceOptions,
  ) {}

  /** Sends the e-mail, unless the invitation has ended. @throws the mailer's error if a retry may succeed */
  @JobHandler(InviteSent)
  async send({ accountId, inviteId: id }: InviteSent['payload']): Promise<void> {
    const invite = await this.repository.find({ accountId, id });
    if (!invite || invite.endedAt || invite.expiresAt <= this.clock.now()) return;
    const url = `${this.options.baseUrl}/invites/${this.codes.codeOf(invite, 'mailed')}`;
    try {
      await this.mailer.send({ id: `invite:${id}`, to: invite.email, ...inviteMail(invite, url) });
    } catch (error) {
      if (!(error instanceof MailRejected)) throw error;
      this.logger.warn(`The e-mail of invitation ${id} is given up: ${loggedError(error).message}`);
    }
  }
}
