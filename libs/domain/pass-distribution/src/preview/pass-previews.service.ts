import { Injectable } from '@nestjs/common';
import { type PassAddress, PassesService, type RelatedPass, WalletPassesRepository } from '@passwright/passes';
import { type PreviewSubject, type Template, templateTag, TemplatesService } from '@passwright/templates';
import { forReader, type PreviewRelated } from '@passwright/wallet-renderers';
import { detailOf } from '../web/pass-summary.js';
import { maxRelatedPasses } from '../web/related-passes.js';

/** Collects the data that previews show about a stored pass. */
@Injectable()
export class PassPreviewsService {
  constructor(
    private readonly passes: PassesService,
    private readonly templates: TemplatesService,
    private readonly walletPasses: WalletPassesRepository,
  ) {}

  /**
   * Returns a pass with its related passes. @param lang the requested language, or an empty text. @throws PassNotFound
   */
  async subject(address: PassAddress, lang: string): Promise<PreviewSubject> {
    const { accountId, templateId, passId } = address;
    const { pass } = await this.passes.get(address);
    const template = await this.templates.get(accountId, templateId);
    const found = await this.walletPasses.findRelated(address, pass, maxRelatedPasses);
    const related = await Promise.all(found.map((other) => this.relatedPass(other, pass.group?.id, lang)));
    const versions = [templateTag(template), pass.createdAt.getTime(), pass.version];
    return {
      template,
      pass,
      examined: { ...pass, thumbnailUrl: pass.thumbnail?.url ?? null },
      related,
      path: `/v1/pass/${encodeURIComponent(templateId)}/${encodeURIComponent(passId)}/preview`,
      version: JSON.stringify([accountId, templateId, passId, ...versions, related]),
    };
  }

  /** Returns a related pass as the web view shows it: without its detail text if its sharing is prohibited. */
  private async relatedPass(
    { address, row }: RelatedPass,
    group: string | undefined,
    lang: string,
  ): Promise<PreviewRelated> {
    const stored: Template = await this.templates.get(address.accountId, address.templateId);
    const { template, pass } = forReader(stored, row.pass, lang === '' ? [] : [lang]);
    const { title, issuerName, backgroundColor, sharingProhibited } = template;
    const detail = sharingProhibited ? '' : detailOf(template, pass);
    const isInGroup = group !== undefined && row.pass.group?.id === group;
    return { title, issuerName, detail, backgroundColor, isInGroup };
  }
}
