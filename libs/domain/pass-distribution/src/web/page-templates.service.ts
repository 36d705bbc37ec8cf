import { Injectable } from '@nestjs/common';
import { versionSuffix } from '@passwright/core';
import { SizedCache } from '@passwright/images';
import type { PassAddress, WalletPass } from '@passwright/passes';
import { type Template, TemplatesService } from '@passwright/templates';

/**
 * Maximum size of all cached templates as JSON. It is large, so that the long texts of one account do not evict all
 * other templates.
 */
const STORED_CHARACTERS = 32 * 2 ** 20;

interface Stored {
  readonly template: Template;
  readonly characters: number;
}

/** Caches templates by address and revision, because most page views concern few templates. */
@Injectable()
export class PageTemplates {
  private readonly stored = new SizedCache<Stored>(STORED_CHARACTERS, ({ characters }) => characters);

  constructor(private readonly templates: TemplatesService) {}

  /** Returns the template of a pass. @throws TemplateNotFound if it was deleted in the meantime */
  async get({ accountId, templateId }: PassAddress, { template: row }: WalletPass): Promise<Template> {
    const keyOf = ({ createdAt, revision }: Pick<Template, 'createdAt' | 'revision'>) =>
      `${accountId}/${templateId}/${createdAt.getTime()}/${revision}${versionSuffix()}`;
    const known = this.stored.get(keyOf(row));
    if (known) return known.template;
    const template = await this.templates.get(accountId, templateId);
    this.stored.set(keyOf(template), { template, characters: JSON.stringify(template).length });
    return template;
  }
}
