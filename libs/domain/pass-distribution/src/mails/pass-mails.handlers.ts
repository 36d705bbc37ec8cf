import { Injectable, Logger } from '@nestjs/common';
import { Clock, loggedError, type Mail, MailRejected } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler } from '@passwright/jobs';
import {
  type IssuedPass,
  IssuedPassesService,
  type PassAddress,
  passLinks,
  type RelatedPass,
  WalletPassesRepository,
} from '@passwright/passes';
import { imagesForReader, TemplatesService } from '@passwright/templates';
import { forReader, passMail, wantedInMail } from '@passwright/wallet-renderers';
import { maxRelatedPasses, togetherUrl } from '../web/related-passes.js';
import { PassDistributionOptions } from '../pass-distribution.options.js';
import { HolderMailer } from './holder-mailer.service.js';
import { mailImages } from './mail-images.js';
import type { PassMailRow } from './pass-mail.entity.js';
import { PassMailQueued } from './pass-mails.jobs.js';
import { PassMailsRepository } from './pass-mails.repository.js';
import { unusableBecause } from './unusable-pass.js';

/**
 * The maximum number of attempts to send a mail. They take about 16 hours. A job has more attempts, so that it always
 * marks the mail as sent or failed.
 */
export const mostAttempts = 12;

const notTaken = 'The mail server has not taken it.';
const notMade = 'It could not be made, by an error of the service.';
const interrupted = 'The service was interrupted while it was sent.';

/** Sends holders the mails with their passes. */
@Injectable()
export class PassMailsHandlers {
  private readonly logger = new Logger('PassMails');

  constructor(
    private readonly database: Database,
    private readonly mails: PassMailsRepository,
    private readonly passes: IssuedPassesService,
    private readonly walletPasses: WalletPassesRepository,
    private readonly templates: TemplatesService,
    private readonly mailer: HolderMailer,
    private readonly options: PassDistributionOptions,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends a mail with the current state of the pass. If the process is killed before it has recorded this, the mail is
   * sent again with the same id.
   * @throws the error if rendering or sending has failed but a later attempt may succeed
   */
  @JobHandler(PassMailQueued)
  async deliver({ accountId, mailId }: PassMailQueued['payload'], { signal }: JobContext): Promise<void> {
    signal.throwIfAborted();
    const key = { accountId, id: mailId };
    const mail = await this.database.transaction((tx) => this.mails.begin(tx, key));
    if (!mail) return;
    if (mail.attempts > mostAttempts) return this.giveUp(mail, mail.problem ?? interrupted);
    const { templateId, passId } = mail;
    const issued = await this.passes.find({ accountId, templateId, passId });
    // The pass was just deleted, together with the mail.
    if (!issued) return;
    const reason = unusableBecause(issued, this.clock.now());
    if (reason !== null) return this.giveUp(mail, `The pass ${reason}, before it could be sent.`);
    let problem = notMade;
    try {
      const finished = await this.render(mail, issued);
      problem = notTaken;
      await this.mailer.send(accountId, finished);
    } catch (error) {
      return this.fail(mail, error, problem);
    }
    await this.database.transaction((tx) => this.mails.markSent(tx, key, this.clock.now()));
  }

  private async render(mail: PassMailRow, { pass }: IssuedPass): Promise<Mail> {
    const { accountId, templateId, passId, id, recipient, replyTo, lang, subject, message } = mail;
    const { baseUrl, language: ownLanguage } = this.options;
    const template = await this.templates.get(accountId, templateId);
    const address = { accountId, templateId, passId };
    const { webUrl } = passLinks(baseUrl, address);
    const together = { togetherUrl: togetherUrl(baseUrl, address, pass, await this.linkedPasses(address, pass)) };
    const wanted = wantedInMail(lang, pass);
    const own = imagesForReader(template, pass, wanted, ownLanguage);
    const { issuerName: fromName } = forReader(template, pass, wanted, ownLanguage).template;
    const images = mailImages(own, baseUrl);
    const context = {
      webUrl,
      ...together,
      images,
      language: lang,
      ownLanguage,
      subject,
      message,
      now: this.clock.now(),
    };
    const addresses = { to: recipient, fromName, ...(replyTo !== null && { replyTo }) };
    return { id: `pass-mail:${id}`, ...addresses, ...passMail(template, pass, context) };
  }

  /**
   * Lists the other passes to which the mail links. Omits passes that must not be shared, because mails can be
   * forwarded.
   */
  private async linkedPasses(address: PassAddress, pass: IssuedPass['pass']): Promise<RelatedPass[]> {
    const related = await this.walletPasses.findRelated(address, pass, maxRelatedPasses);
    const ids = [...new Set(related.map((other) => other.address.templateId))];
    const templates = await Promise.all(ids.map((id) => this.templates.get(address.accountId, id)));
    const prohibited = new Set(templates.flatMap(({ id, sharingProhibited }) => (sharingProhibited ? id : [])));
    return related.filter((other) => !prohibited.has(other.address.templateId));
  }

  /** Records a failed mail. Logs errors of the mail server, and shows errors of the mail to the account. */
  private async fail(mail: PassMailRow, error: unknown, problem: string): Promise<void> {
    if (error instanceof MailRejected) return this.giveUp(mail, error.message);
    if (mail.attempts >= mostAttempts) return this.giveUp(mail, problem, error);
    await this.database.transaction((tx) => this.mails.noteProblem(tx, mail, problem));
    throw error;
  }

  private async giveUp(mail: PassMailRow, problem: string, cause?: unknown): Promise<void> {
    await this.database.transaction((tx) => this.mails.markFailed(tx, mail, problem));
    const details = cause === undefined ? '' : ` ${loggedError(cause).message}`;
    this.logger.warn(`The e-mail ${mail.id} was given up at attempt ${mail.attempts}: ${problem}${details}`);
  }
}
