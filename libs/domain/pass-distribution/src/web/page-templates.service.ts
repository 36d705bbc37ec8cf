import { Injectable } from '@nestjs/common';
import { versionSuffix } from '@passwright/core';
import type { PassAddress, WalletPass } from '@passwright/passes';
import { type Template, TemplatesService } from '@passwright/templates';
import { LruCache } from './lru-cache.js';

/** Caches templates by address and revision, because most page views concern few templates. */
@Injectable()
export class PageTemplates {
  private readonly stored = new LruCache<Template>(200);

  constructor(private readonly templates: TemplatesService) {}

  /** Returns the template of a pass. @throws TemplateNotFound if it was deleted in the meantime */
  async get({ accountId, templateId }: PassAddress, { template: row }: WalletPass): Promise<Template> {
    const keyOf = ({ createdAt, revision }: Pick<Template, 'createdAt' | 'revision'>) =>
      `${accountId}/${templateId}/${createdAt.getTime()}/${revision}${versionSuffix()}`;
    const known = this.stored.get(keyOf(row));
    if (known) return known;
    const template = await this.templates.get(accountId, templateId);
    this.stored.set(keyOf(template), template);
    return template;
  }
}
