import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { Clock, costlyWork, requestOrigin, withoutSlot } from '@passwright/core';
import {
  DraftImages,
  imagePurposes,
  type ImageUrls,
  type ImageVariants,
  type PreparedImages,
  type PreparedPurpose,
} from '@passwright/images';
import {
  cutTexts,
  forReader,
  preview,
  type PreviewImages,
  type previewPage,
  type PreviewRelated,
  previewThemes,
  type PreviewWallet,
  type RenderPass,
  type RenderTemplate,
  samplePass,
  withGeneralTags,
} from '@passwright/wallet-renderers';
import { imagesIn, localisedUrlsOf } from '../templates/localised-images.js';
import type { LintDrafts } from '../lint/lint-request.pipe.js';
import type { PassDraft } from '../lint/template-draft.js';
import { TemplateLint } from '../lint/template-lint.service.js';
import type { Template } from '../templates/template.entity.js';
import { TemplatesOptions } from '../templates.options.js';
import { TemplatesService } from '../templates/templates.service.js';
import type { DraftPreviewQuery, DraftPreviewResponse } from './draft-preview.dto.js';
import { drawablePass, drawableTemplate } from './drawable-draft.js';
import { generatedImages } from './preview-images.js';
import { type Look, looksOf } from './preview-looks.js';
import { wireName } from './preview-query.dto.js';
import { StoredPreviewImages } from './stored-preview-images.service.js';

/** The drafts of a request, and the stored template. */
interface Sent {
  readonly content: RenderTemplate;
  readonly stored: Template | null;
  readonly drafts: LintDrafts;
}

/** The images of a draft in one language. */
interface ImagesOfDraft {
  /** The images that are saved with the template. */
  readonly saved: PreparedImages;
  /** The images that are not saved with the template, generated from uploads and samples. */
  readonly generated: Partial<Record<PreparedPurpose, ImageVariants | null>>;
}

/** A draft with its images. */
interface Drawn {
  readonly template: RenderTemplate;
  readonly pass: RenderPass;
  readonly related: readonly PreviewRelated[];
  readonly images: ImagesOfDraft;
  /** The images of the template's own language, which Google Wallet shows in every language. */
  readonly ownImages: ImagesOfDraft;
}

/** The number of sample passes that a preview adds to the group of a draft. */
const matesInGroup = 2;

type Pictures = Parameters<typeof previewPage>[0]['pictures'][number][];

/** Draws templates and passes before they are saved. Stores nothing and fetches nothing from other servers. */
@Injectable()
export class DraftPreviews {
  constructor(
    private readonly lint: TemplateLint,
    private readonly templates: TemplatesService,
    private readonly images: DraftImages,
    private readonly storedImages: StoredPreviewImages,
    private readonly accounts: AccountsService,
    private readonly options: TemplatesOptions,
    private readonly clock: Clock,
  ) {}

  /**
   * Draws a draft with a pass. Without a draft, draws the stored template.
   * @throws TemplateNotFound without a draft and a stored template.
   * @throws RateLimited, NotReady
   */
  async preview(
    accountId: string,
    templateId: string,
    drafts: LintDrafts,
    { theme, system, lang = '' }: DraftPreviewQuery,
  ): Promise<DraftPreviewResponse> {
    const findings = await this.lint.lint(accountId, templateId, drafts);
    const drawn = await this.drawn(accountId, await this.templates.find(accountId, templateId), drafts, lang);
    const share = await this.accounts.shareOf(accountId);
    const { saved, generated } = drawn.images;
    const hasArtwork = (saved.artwork ?? generated.artwork ?? null) !== null;
    const looks = looksOf({ ...drawn, hasArtwork }, theme ? [theme] : previewThemes, lang, system ?? 'ios27');
    const draw = () => this.draw(drawn, looks);
    const pictures = await withoutSlot(() => costlyWork.run(share, draw, requestOrigin()?.gone));
    return {
      pictures: pictures.map(({ preview: { svg }, ...look }) => ({ ...look, wallet: wireName(look.wallet), svg })),
      findings,
      cut: cutTexts(pictures).map((text) => ({ ...text, wallet: wireName(text.wallet) })),
    };
  }

  private async drawn(accountId: string, stored: Template | null, drafts: LintDrafts, lang: string): Promise<Drawn> {
    const { template, pass } = drafts;
    // The lint has already rejected a request that has neither a draft nor a stored template.
    const content = drawableTemplate((template?.content ?? stored) as RenderTemplate);
    const shown = { template: content, pass: drawablePass(content, pass?.content ?? null) };
    const reader = forReader(content, shown.pass, lang === '' ? [] : [lang], this.options.language);
    const related = await this.related(accountId, reader.template, pass, lang);
    const language = reader.template.language ?? null;
    const sent = { content, stored, drafts };
    const images = await this.imagesIn(accountId, sent, language);
    const ownUrls = JSON.stringify(urlsIn(sent, null));
    const isSame = ownUrls === JSON.stringify(urlsIn(sent, language));
    return { ...shown, related, images, ownImages: isSame ? images : await this.imagesIn(accountId, sent, null) };
  }

  private async imagesIn(accountId: string, sent: Sent, language: string | null): Promise<ImagesOfDraft> {
    const { content, stored } = sent;
    const known = stored ? imagesIn(stored, language) : {};
    const named = namedImages(urlsIn(sent, language));
    const isSaved = ({ purpose, url }: (typeof named)[number]) =>
      stored?.type === content.type && known[purpose]?.url === url;
    const saved = named.filter(isSaved).map(({ purpose }) => [purpose, known[purpose]]);
    const others = named.filter((image) => !isSaved(image));
    const generated = others.map(async ({ purpose, url }) => {
      return [purpose, await this.images.variants(accountId, url, purpose, content.type)] as const;
    });
    return {
      saved: Object.fromEntries(saved) as PreparedImages,
      generated: Object.fromEntries(await Promise.all(generated)),
    };
  }

  /**
   * Returns the related passes of a draft: two sample passes of its group, and the linked passes whose templates exist.
   */
  private async related(
    accountId: string,
    { title, issuerName, backgroundColor }: RenderTemplate,
    draft: PassDraft | null,
    lang: string,
  ): Promise<PreviewRelated[]> {
    const other = { title, issuerName, detail: '', backgroundColor, isInGroup: true };
    const mates = draft?.content.group?.id ? Array.from({ length: matesInGroup }, () => other) : [];
    const found = (draft?.linkedTemplates ?? []).map((id) => this.templates.find(accountId, id));
    const linked = (await Promise.all(found)).flatMap((template) => {
      if (!template) return [];
      const wanted = lang === '' ? [] : [lang];
      const { template: shown } = forReader(template, samplePass(template), wanted, this.options.language);
      const texts = { title: shown.title, issuerName: shown.issuerName };
      return [{ ...other, ...texts, backgroundColor: shown.backgroundColor, isInGroup: false }];
    });
    return [...mates, ...linked];
  }

  /**
   * Draws pictures one by one, and lets other work run between them. Each picture blocks the event loop for up to 50
   * ms.
   */
  private async draw(drawn: Drawn, looks: readonly Look[]): Promise<Pictures> {
    const now = this.clock.now();
    const { language: ownLanguage } = this.options;
    const pictures: Pictures = [];
    const images = new Map<PreviewWallet, PreviewImages>();
    for (const { wallet, theme, system, lang: language } of looks) {
      const own = images.get(wallet) ?? (await this.imagesOf(drawn, wallet));
      images.set(wallet, own);
      await setImmediate();
      const look = { wallet, theme, ...(system && { system }) };
      const context = { ...look, images: own, now, language, ownLanguage, related: drawn.related };
      pictures.push({ ...look, preview: preview(drawn.template, drawn.pass, context) });
    }
    return pictures;
  }

  private async imagesOf({ images, ownImages }: Drawn, wallet: PreviewWallet): Promise<PreviewImages> {
    const { saved, generated } = wallet === 'google' ? ownImages : images;
    return {
      ...(await this.storedImages.of(saved, wallet)),
      ...withoutAbsent(await generatedImages(generated, wallet)),
    };
  }
}

/** Returns the addresses of the images of a draft in a language. */
function urlsIn({ content, stored, drafts: { template, pass } }: Sent, language: string | null): ImageUrls {
  const known = stored ? imagesIn(stored, language) : {};
  const thumbnail = pass?.content.thumbnailUrl;
  return {
    ...(template ? { ...template.images, ...localisedIn(content, language) } : urlsOf(known)),
    ...(thumbnail && { thumbnail }),
  };
}

/** Returns the images of a draft, with the logo of its poster. */
function namedImages(urls: ImageUrls): { readonly purpose: PreparedPurpose; readonly url: string }[] {
  const named = (purpose: PreparedPurpose, url: string | undefined) => (url === undefined ? [] : [{ purpose, url }]);
  const own = imagePurposes.flatMap((purpose) => named(purpose, urls[purpose]));
  return urls.artwork === undefined ? own : [...own, ...named('primaryLogo', urls.logo)];
}

/** Returns the addresses of the images that a draft has in a language. */
function localisedIn({ translations, language: own }: RenderTemplate, language: string | null): ImageUrls {
  const urls = localisedUrlsOf(translations ?? null);
  const tags = language === null ? [] : withGeneralTags(language, own).reverse();
  return Object.assign({}, ...tags.map((tag) => (Object.hasOwn(urls, tag) ? urls[tag] : {}))) as ImageUrls;
}

function urlsOf(images: PreparedImages): ImageUrls {
  return Object.fromEntries(Object.entries(images).map(([purpose, { url }]) => [purpose, url]));
}

function withoutAbsent(images: PreviewImages): PreviewImages {
  return Object.fromEntries(Object.entries(images).filter(([, image]) => image !== undefined));
}
