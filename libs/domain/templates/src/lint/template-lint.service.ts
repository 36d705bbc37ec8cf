import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { imagePurposes, type ImageUrls, type PreparedImages } from '@passwright/images';
import {
  examineInTurns,
  type ExaminedImages,
  type ExaminedPass,
  type Finding,
  type LintContext,
  type RenderTemplate,
} from '@passwright/wallet-renderers';
import type { LintDrafts } from './lint-request.pipe.js';
import { localisedUrlsOf } from '../templates/localised-images.js';
import type { Template } from '../templates/template.entity.js';
import { TemplateNotFound } from '../templates/templates.errors.js';
import { TemplatesOptions } from '../templates.options.js';
import { TemplatesService } from '../templates/templates.service.js';
import { TemplateImageFacts } from './template-image-facts.service.js';

/** Checks templates and passes, both stored ones and drafts. Saves nothing and fetches nothing from other servers. */
@Injectable()
export class TemplateLint {
  constructor(
    private readonly options: TemplatesOptions,
    private readonly templates: TemplatesService,
    private readonly images: TemplateImageFacts,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks a draft together with a pass. Without a draft, checks the stored template.
   * @throws TemplateNotFound without a draft and a stored template.
   * @throws RateLimited
   */
  async lint(accountId: string, templateId: string, { template: draft, pass }: LintDrafts): Promise<Finding[]> {
    const stored = await this.templates.find(accountId, templateId);
    const passThumbnail = pass?.content.thumbnailUrl ?? undefined;
    const rejected = [...(draft?.rejected ?? []), ...(pass?.rejected ?? [])];
    if (draft) {
      const { content } = draft;
      const named = {
        type: content.type,
        own: { ...draft.images, ...(passThumbnail && { passThumbnail }) },
        localised: localisedUrlsOf(content.translations ?? null),
      };
      const images = await this.images.of(accountId, named, stored);
      return this.examine(content, pass?.content ?? null, images, rejected);
    }
    if (!stored) throw new TemplateNotFound(templateId);
    const images = await this.imagesOf(stored, passThumbnail);
    return this.examine(stored, pass?.content ?? null, images, rejected);
  }

  /** Checks a stored template and one of its passes, for previews. @throws RateLimited */
  async lintStored(template: Template, pass: ExaminedPass | null): Promise<Finding[]> {
    return this.examine(template, pass, await this.imagesOf(template), []);
  }

  private imagesOf(template: Template, passThumbnail?: string): Promise<ExaminedImages> {
    const named = {
      type: template.type,
      own: { ...urlsOf(template.images), ...(passThumbnail && { passThumbnail }) },
      localised: localisedUrlsOf(template.translations),
    };
    return this.images.of(template.accountId, named, template);
  }

  private examine(
    template: RenderTemplate,
    pass: ExaminedPass | null,
    images: ExaminedImages,
    rejected: LintDraftRejections,
  ): Promise<Finding[]> {
    const { baseUrl: webServiceUrl, language } = this.options;
    const context = { now: this.clock.now(), webServiceUrl, ...(language && { language }), rejected };
    return examineInTurns(template, pass, images, context);
  }
}

type LintDraftRejections = NonNullable<LintContext['rejected']>;

function urlsOf(images: PreparedImages): ImageUrls {
  return Object.fromEntries(
    imagePurposes.flatMap((purpose) => (images[purpose] ? [[purpose, images[purpose].url]] : [])),
  );
}
