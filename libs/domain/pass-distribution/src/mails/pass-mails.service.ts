import { Injectable } from '@nestjs/common';
import { Clock, InvalidTransition, type Page, type PageQuery, randomId } from '@passwright/core';
import { Database } from '@passwright/database';
import { IssuedPassesService, type PassAddress, PassNotFound } from '@passwright/passes';
import { type Template, TemplateArchived, TemplatesService } from '@passwright/templates';
import {
  forReader,
  type Language,
  ownLanguage,
  passMailSubject,
  readingFor,
  wantedInMail,
} from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { PassDistributionOptions } from '../pass-distribution.options.js';
import { MailLimitsService } from './mail-limits.service.js';
import { PassMailOutboxService } from './pass-mail-outbox.service.js';
import { type PassMailResponse, type SendPassRequest, toPassMailResponse } from './pass-mail.dto.js';
import type { PassMailRow } from './pass-mail.entity.js';
import { PassMailsRepository } from './pass-mails.repository.js';
import { unusableBecause } from './unusable-pass.js';

/** Queues mails with passes and lists them with their status. */
@Injectable()
export class PassMailsService {
  constructor(
    private readonly database: Database,
    private readonly repository: PassMailsRepository,
    private readonly limits: MailLimitsService,
    private readonly passes: IssuedPassesService,
    private readonly templates: TemplatesService,
    private readonly outbox: PassMailOutboxService,
    private readonly options: PassDistributionOptions,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues a mail, which a job sends later.
   * @throws PassNotFound, TemplateArchived, InvalidTransition if the holder could not use the pass, RateLimited
   */
  async send(address: PassAddress, request: SendPassRequest): Promise<PassMailResponse> {
    const { accountId, templateId, passId } = address;
    const issued = await this.passes.find(address);
    if (!issued) throw new PassNotFound(templateId, passId);
    // Read the template first, so that the transaction needs no second connection.
    const stored = await this.templates.get(accountId, templateId);
    const { language: fallback = 'en' } = this.options;
    const others = `${ownLanguage(stored, fallback)}, ${fallback}`;
    const language = request.lang ?? readingFor(issued.pass.language ?? undefined, others).language;
    const wanted = wantedInMail(language, issued.pass);
    const { template } = forReader(stored, issued.pass, wanted, this.options.language);
    return this.database.transaction(async (tx) => {
      const now = await this.rejectUseless(tx, address);
      const mail = newMail(address, template, request, language, now);
      await this.limits.count(tx, mail);
      await this.outbox.put(tx, mail);
      return toPassMailResponse(mail);
    });
  }

  /** Lists mails, newest first. @throws PassNotFound, ValidationFailed for a cursor of another list */
  async list(address: PassAddress, query: PageQuery): Promise<Page<PassMailResponse>> {
    if (!(await this.passes.find(address))) throw new PassNotFound(address.templateId, address.passId);
    return this.repository.list(address, query, toPassMailResponse);
  }

  /**
   * Locks the pass, so that its mails are counted one after another. Rejects a pass that its holder could not use: void,
   * redeemed or expired. @returns the time after locking
   */
  private async rejectUseless(tx: EntityManager, address: PassAddress): Promise<Date> {
    const { templateId, passId } = address;
    const issued = await this.passes.lock(tx, address);
    if (!issued) throw new PassNotFound(templateId, passId);
    if (issued.archivedAt) throw new TemplateArchived(templateId);
    const now = this.clock.now();
    const reason = unusableBecause(issued, now);
    if (reason !== null) {
      throw new InvalidTransition(`Pass "${passId}" cannot be sent: it ${reason}, so its holder could not use it.`);
    }
    return now;
  }
}

function newMail(
  { accountId, templateId, passId }: PassAddress,
  template: Template,
  { to, replyTo, subject, message }: SendPassRequest,
  lang: Language,
  createdAt: Date,
): PassMailRow {
  return {
    accountId,
    id: randomId(),
    templateId,
    passId,
    recipient: to,
    replyTo: replyTo ?? null,
    lang,
    subject: passMailSubject(template, lang, subject),
    message: message ?? null,
    status: 'queued',
    attempts: 0,
    problem: null,
    createdAt,
    sentAt: null,
  };
}
