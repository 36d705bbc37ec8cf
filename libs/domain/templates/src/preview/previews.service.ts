import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { Clock, costlyWork, requestOrigin, withoutSlot } from '@passwright/core';
import {
  cutTexts,
  type ExaminedPass,
  passState,
  type Preview,
  preview,
  previewPage,
  type PreviewRelated,
  previewVersion,
  previewThemes,
  readTypefaces,
  type RenderPass,
} from '@passwright/wallet-renderers';
import { type PreparedImage, rasterised, SizedCache } from '@passwright/images';
import { imagesForReader } from '../templates/localised-images.js';
import { TemplateLint } from '../lint/template-lint.service.js';
import type { Template } from '../templates/template.entity.js';
import { TemplatesOptions } from '../templates.options.js';
import { StoredPreviewImages } from './stored-preview-images.service.js';
import { type Look, lookOf, looksOf, type PassToShow } from './preview-looks.js';
import { type PreviewFormat, type PreviewQuery, wireName, wireWallets } from './preview-query.dto.js';
import type { PreviewResponse } from './preview.dto.js';

/** The subject of a preview: a pass of a template, or a sample pass. */
export interface PreviewSubject {
  readonly template: Template;
  readonly pass: RenderPass & { readonly thumbnail?: PreparedImage | null };
  /** The pass to check together with the template; null for a sample. */
  readonly examined: ExaminedPass | null;
  /** The related passes of the pass. Default: none. */
  readonly related?: readonly PreviewRelated[];
  /** The path of the preview, below the base URL, such as `/v1/templates/summer-sale/preview`. */
  readonly path: string;
  /** A text that is different for each version of the template, the pass and its related passes. */
  readonly version: string;
}

/** A finished preview. */
export interface PreviewFile {
  readonly etag: string;
  /** Null if the caller already has this preview. */
  readonly bytes: Buffer | null;
  /** The content security policy of a page. */
  readonly contentSecurityPolicy?: string;
}

type Pictures = Parameters<typeof previewPage>[0]['pictures'];

/** The subject of a preview, and the time of the request. */
interface Shown extends PreviewSubject {
  readonly now: Date;
}

const storedBytes = 16 * 1024 * 1024;
/** The delay between the start and the loading of fonts, so that waiting clients are served first. */
const readTypefacesAfterMs = 1000;

/** Renders previews of passes in each wallet. Reads images only from storage and fetches nothing. */
@Injectable()
export class Previews implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly drawn = new SizedCache<Preview>(storedBytes, ({ svg }) => svg.length);
  private readonly rasterised = new SizedCache<Buffer>(storedBytes, ({ length }) => length);
  private start: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: TemplatesOptions,
    private readonly images: StoredPreviewImages,
    private readonly lint: TemplateLint,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /** Loads the fonts early, so that the first caller does not wait for them. Loading takes a tenth of a second. */
  onApplicationBootstrap(): void {
    this.start = setTimeout(() => void readTypefaces(), readTypefacesAfterMs).unref();
  }

  onModuleDestroy(): void {
    clearTimeout(this.start);
  }

  /**
   * Returns a preview in one format. @param isKnown returns true if the caller has the version with this tag. @throws
   * RateLimited
   */
  async file(
    subject: PreviewSubject,
    query: PreviewQuery,
    format: PreviewFormat,
    isKnown: (etag: string) => boolean,
  ): Promise<PreviewFile> {
    const shown = { ...subject, now: this.clock.now() };
    if (format === 'png' || format === 'svg') return this.picture(shown, query, format, isKnown);
    const { lang = '' } = query;
    const findings = await this.lint.lintStored(subject.template, subject.examined);
    // The tag includes the findings, because they can change without a change of the template.
    const said = JSON.stringify([this.options.baseUrl, subject.path, findings]);
    const etag = tagOf([...versionOf(shown), format, lang, said]);
    if (isKnown(etag)) return { etag, bytes: null };
    const pictures = await this.inTurn(subject, () => this.all(shown, lang, format));
    const page = format === 'html' ? previewPage({ title: subject.template.title, pictures, findings }) : null;
    const bytes = Buffer.from(page?.html ?? JSON.stringify(this.toResponse(subject, lang, pictures, findings)));
    return { etag, bytes, ...(page && { contentSecurityPolicy: page.contentSecurityPolicy }) };
  }

  private async picture(
    subject: Shown,
    query: PreviewQuery,
    format: 'png' | 'svg',
    isKnown: (etag: string) => boolean,
  ): Promise<PreviewFile> {
    const { wallet = 'walletA', theme = 'light', lang = '' } = query;
    const look = lookOf(shownOf(subject), { wallet: wireWallets[wallet], theme, system: query.system, lang });
    const scale = format === 'png' ? Number(query.scale ?? 2) : 1;
    const etag = tagOf([...versionOf(subject), ...namesOf(look), format, String(scale)]);
    if (isKnown(etag)) return { etag, bytes: null };
    const known = this.rasterised.get(etag);
    if (known) return { etag, bytes: known };
    const bytes = await this.inTurn(subject, async () => {
      // An earlier request may have drawn the same image in the meantime.
      const drawn = this.rasterised.get(etag);
      if (drawn) return drawn;
      const { svg } = await this.draw(subject, look);
      if (format === 'svg') return Buffer.from(svg);
      const png = await rasterised(svg, scale);
      this.rasterised.set(etag, png);
      return png;
    });
    return { etag, bytes };
  }

  /**
   * Runs a task, with a limit per account on simultaneous tasks. Each task takes about 50 MB of memory for the images
   * of a template and one drawn image of at most 10 megapixels (2,500 points at scale 3).
   */
  private async inTurn<T>({ template }: PreviewSubject, task: () => Promise<T>): Promise<T> {
    const share = await this.accounts.shareOf(template.accountId);
    return withoutSlot(() => costlyWork.run(share, task, requestOrigin()?.gone));
  }

  /**
   * Draws all images for a page. For JSON, draws only one theme per wallet, because both themes shorten the same texts.
   */
  private async all(subject: Shown, lang: string, format: 'html' | 'json'): Promise<Pictures> {
    const themes = format === 'html' ? previewThemes : previewThemes.slice(0, 1);
    const pictures: Pictures[number][] = [];
    for (const look of looksOf(shownOf(subject), themes, lang)) {
      const { wallet, theme, system } = look;
      pictures.push({ wallet, theme, ...(system && { system }), preview: await this.draw(subject, look) });
    }
    return pictures;
  }

  /** Draws an image after letting waiting work run. Drawing blocks the event loop for up to 50 ms. */
  private async draw(subject: Shown, look: Look): Promise<Preview> {
    const key = tagOf([...versionOf(subject), ...namesOf(look)]);
    const known = this.drawn.get(key);
    if (known) return known;
    const { template, pass, now, related } = subject;
    const { wallet, theme, system, lang } = look;
    // Google Wallet shows the same images in every language.
    const wanted = lang === '' || wallet === 'google' ? [] : [lang];
    const localised =
      wanted.length > 0 ? imagesForReader(template, pass, wanted, this.options.language) : template.images;
    const own = { ...localised, ...(pass.thumbnail && { thumbnail: pass.thumbnail }) };
    const images = await this.images.of(own, wallet);
    await setImmediate();
    const drawn = preview(template, pass, {
      ...{ wallet, theme, ...(system && { system }), images, now },
      language: lang,
      ownLanguage: this.options.language,
      ...(related && { related }),
    });
    this.drawn.set(key, drawn);
    return drawn;
  }

  private toResponse(
    subject: PreviewSubject,
    lang: string,
    pictures: Pictures,
    findings: PreviewResponse['findings'],
  ): PreviewResponse {
    const base = `${this.options.baseUrl}${subject.path}`;
    const language = lang === '' ? '' : `&lang=${encodeURIComponent(lang)}`;
    return {
      pictures: looksOf(shownOf(subject), previewThemes, lang).map(({ wallet, theme, system }) => {
        const look = `wallet=${wireName(wallet)}&theme=${theme}${system ? `&system=${system}` : ''}${language}`;
        const urls = { svgUrl: `${base}?${look}&format=svg`, pngUrl: `${base}?${look}&format=png` };
        return { wallet: wireName(wallet), theme, ...(system && { system }), ...urls };
      }),
      findings,
      cut: cutTexts(pictures).map(({ wallet, in: document, path: at, text, shown }) => {
        return { wallet: wireName(wallet), in: document, path: at, text, shown };
      }),
    };
  }
}

function shownOf({ template, pass }: PreviewSubject): PassToShow {
  return { template, pass, hasArtwork: template.images.artwork !== undefined };
}

function namesOf({ wallet, theme, system, lang }: Look): string[] {
  return [wallet, theme, system ?? '', lang];
}

/** Returns the values that identify the version of the subject and its state. */
function versionOf({ version, template, pass, now }: Shown): string[] {
  return [version, passState(template, pass, now)];
}

function tagOf(parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([previewVersion, ...parts]));
  return `"${hash.digest('base64url').slice(0, 27)}"`;
}
