import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import {
  examine,
  type ExaminedImage,
  type ExaminedImages,
  type ExaminedPass,
  type Finding,
} from '@passwright/wallet-renderers';
import {
  imagePurposes,
  type ImageUrls,
  ImagesService,
  type PreparedImage,
  type PreparedImages,
} from '@passwright/images';
import type { LintDrafts } from './lint-request.pipe.js';
import type { Template } from '../templates/template.entity.js';
import { TemplateNotFound } from '../templates/templates.errors.js';
import { TemplatesOptions } from '../templates.options.js';
import { TemplatesService } from '../templates/templates.service.js';

/** Checks templates and passes, both stored ones and drafts. Saves nothing and fetches nothing from other servers. */
@Injectable()
export class TemplateLint {
  constructor(
    private readonly options: TemplatesOptions,
    private readonly templates: TemplatesService,
    private readonly images: ImagesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks a draft or, without one, the stored template, together with a pass.
   * @throws TemplateNotFound if there is neither, RateLimited
   */
  async lint(accountId: string, templateId: string, { template: draft, pass }: LintDrafts): Promise<Finding[]> {
    const stored = await this.templates.find(accountId, templateId);
    const known = stored?.images ?? {};
    const passThumbnail = pass?.content.thumbnailUrl ?? undefined;
    const rejected = [...(draft?.rejected ?? []), ...(pass?.rejected ?? [])];
    if (draft) {
      const images = await this.measure(accountId, { ...draft.images, passThumbnail }, known);
      return this.examine(draft.content, pass?.content ?? null, images, rejected);
    }
    if (!stored) throw new TemplateNotFound(templateId);
    const images = await this.measure(accountId, { ...urlsOf(known), passThumbnail }, known);
    return this.examine(stored, pass?.content ?? null, images, rejected);
  }

  /** Checks a stored template and a pass of it, for previews. @throws RateLimited */
  async lintStored(template: Template, pass: ExaminedPass | null): Promise<Finding[]> {
    return this.examine(
      template,
      pass,
      await this.measure(template.accountId, urlsOf(template.images), template.images),
      [],
    );
  }

  private examine(
    template: Parameters<typeof examine>[0],
    pass: ExaminedPass | null,
    images: ExaminedImages,
    rejected: LintDraftRejections,
  ): Finding[] {
    const { baseUrl: webServiceUrl, language } = this.options;
    const context = { now: this.clock.now(), webServiceUrl, ...(language && { language }), rejected };
    return examine(template, pass, images, context);
  }

  /**
   * Returns the sizes of images: saved ones, or else read from storage. They are unknown for images on other servers.
   */
  private async measure(accountId: string, urls: MeasuredUrls, known: PreparedImages): Promise<ExaminedImages> {
    const saved = new Map(Object.values(known).map((image: PreparedImage) => [image.url, image.size]));
    const named = Object.entries(urls).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const sizes = named.map(async ([purpose, url]): Promise<[string, ExaminedImage]> => {
      const size = saved.get(url);
      return [purpose, size ?? (await this.images.measure(accountId, url))];
    });
    return Object.fromEntries(await Promise.all(sizes));
  }
}

type LintDraftRejections = NonNullable<Parameters<typeof examine>[3]>['rejected'];
type MeasuredUrls = ImageUrls & { readonly passThumbnail?: string };

function urlsOf(images: PreparedImages): ImageUrls {
  return Object.fromEntries(
    imagePurposes.flatMap((purpose) => (images[purpose] ? [[purpose, images[purpose].url]] : [])),
  );
}
