import { Injectable } from '@nestjs/common';
import { mailImages } from '@passwright/pass-distribution';
import { type Pass, passLinks, PassNotFound, PassesService } from '@passwright/passes';
import { imagesIn, TemplatesService } from '@passwright/templates';
import {
  forReader,
  ownLanguage,
  type PassMail,
  readingFor,
  reminderMail,
  wantedInMail,
} from '@passwright/wallet-renderers';
import { addressOf } from '../members/member-passes.service.js';
import type { Member } from '../members/member.entity.js';
import { MembershipsOptions } from '../memberships.options.js';
import { SettingsRepository } from '../settings/settings.repository.js';

/** Builds reminder e-mails. */
@Injectable()
export class ReminderEmailTemplateService {
  constructor(
    private readonly settings: SettingsRepository,
    private readonly passes: PassesService,
    private readonly templates: TemplatesService,
    private readonly options: MembershipsOptions,
  ) {}

  /**
   * Builds the mail in the issuer's name, without the recipient. The mail links to the page of the pass, and says that
   * the pass is valid.
   * @returns null if the member has no valid pass, for example because its template is archived
   */
  async write(member: Member, expiresAt: Date): Promise<(PassMail & { readonly fromName: string }) | null> {
    const settings = await this.settings.find(member.accountId);
    const pass = settings && (await this.findValidPass(member));
    if (!settings || !pass) return null;
    const stored = await this.templates.get(member.accountId, member.templateId);
    const { baseUrl, language: tag } = this.options;
    const { webUrl } = passLinks(baseUrl, addressOf(member));
    const { language } = readingFor(pass.language ?? undefined, `${ownLanguage(stored, tag)}, ${tag ?? 'en'}`);
    const { template, pass: shown } = forReader(stored, pass, wantedInMail(language, pass), tag);
    const images = mailImages(imagesIn(stored, template.language), baseUrl);
    const context = { webUrl, language, images, pass: shown };
    const mail = reminderMail(template, { expiresAt, timeZone: settings.timeZone }, context);
    return { fromName: template.issuerName, ...mail };
  }

  private async findValidPass(member: Member): Promise<Pass | null> {
    try {
      const { pass, archivedAt } = await this.passes.get(addressOf(member));
      return pass.voidedAt === null && archivedAt === null ? pass : null;
    } catch (error) {
      if (error instanceof PassNotFound) return null;
      throw error;
    }
  }
}
