import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { BlobStorage, Clock, WorkQueue } from '@passwright/core';
import {
  cutTexts,
  type ExaminedPass,
  passState,
  type Preview,
  preview,
  previewPage,
  previewRecipe,
  previewThemes,
  type PreviewWallet,
  previewWallets,
  type RenderPass,
} from '@passwright/wallet-renderers';
import { rasterised } from '../picture.js';
import type { PreparedImage } from '../template-images.js';
import { TemplateLint } from '../template-lint.service.js';
import type { Template } from '../template.entity.js';
import { TemplatesOptions } from '../templates.options.js';
import { KeptPictures } from './kept-pictures.js';
import { previewImages } from './preview-images.js';
import { type PreviewFormat, type PreviewQuery, type WireWallet, wireWallets } from './preview-query.dto.js';
import type { PreviewAnswer } from './preview.dto.js';

/** What is shown: a pass of a template, or a sample of one. */
export interface PreviewSubject {
  readonly template: Template;
  readonly pass: RenderPass & { readonly thumbnail?: PreparedImage | null };
  /** What the doctor looks at beside the template; null for a sample. */
  readonly examined: ExaminedPass | null;
  /** Where its preview is, below the base URL: `/v1/templates/summer-sale/preview`. */
  readonly path: string;
  /** Names the version of the template and of the pass, and nothing else in the installation. */
  readonly version: string;
}

/** A finished preview. */
export interface PreviewFile {
  readonly etag: string;
  /** Null when the caller has it already. */
  readonly bytes: Buffer | null;
  /** Of a page. */
  readonly contentSecurityPolicy?: string;
}

type Pictures = Parameters<typeof previewPage>[0]['pictures'];

/** Shows how passes look in each wallet. What it draws with comes from storage; nothing is fetched. */
@Injectable()
export class Previews {
  private readonly kept = new KeptPictures(16 * 1024 * 1024);
  // Each holds a template's images and a picture of 4 megapixels at most, about 25 MB.
  private readonly queue = new WorkQueue({
    width: Math.max(1, Math.min(2, availableParallelism() - 1)),
    maxWaiting: 100,
    refusal: 'Too many previews are being drawn at this moment; try again in a few seconds.',
  });

  constructor(
    private readonly options: TemplatesOptions,
    private readonly storage: BlobStorage,
    private readonly doctor: TemplateLint,
    private readonly clock: Clock,
  ) {}

  /** @param isKnown whether the caller has what an entity tag names. @throws RateLimited */
  async file(
    subject: PreviewSubject,
    query: PreviewQuery,
    format: PreviewFormat,
    isKnown: (etag: string) => boolean,
  ): Promise<PreviewFile> {
    if (format === 'png' || format === 'svg') return this.picture(subject, query, format, isKnown);
    const pictures = await this.queue.run(() => this.all(subject, query));
    const findings = await this.doctor.lintStored(subject.template, subject.examined);
    const page = format === 'html' ? previewPage({ title: subject.template.title, pictures, findings }) : null;
    const text = page?.html ?? JSON.stringify(this.answer(subject, pictures, findings));
    // What the doctor says changes with the time too: so the tag names the content itself.
    const etag = tagOf([format, text]);
    const bytes = isKnown(etag) ? null : Buffer.from(text);
    return { etag, bytes, ...(page && { contentSecurityPolicy: page.contentSecurityPolicy }) };
  }

  private async picture(
    subject: PreviewSubject,
    query: PreviewQuery,
    format: 'png' | 'svg',
    isKnown: (etag: string) => boolean,
  ): Promise<PreviewFile> {
    const { wallet = 'walletA', theme = 'light', lang = '' } = query;
    const scale = format === 'png' ? Number(query.scale ?? 2) : 1;
    const state = passState(subject.template, subject.pass, this.clock.now());
    const etag = tagOf([subject.version, state, wallet, theme, format, String(scale), lang]);
    if (isKnown(etag)) return { etag, bytes: null };
    const known = this.kept.get(etag);
    if (known) return { etag, bytes: known };
    const bytes = await this.queue.run(async () => {
      const { svg } = await this.draw(subject, wireWallets[wallet], { theme, lang });
      return format === 'svg' ? Buffer.from(svg) : rasterised(svg, scale);
    });
    this.kept.set(etag, bytes);
    return { etag, bytes };
  }

  private async all(subject: PreviewSubject, { lang = '' }: PreviewQuery): Promise<Pictures> {
    const pictures = previewWallets.map(async (wallet) => {
      const drawn = previewThemes.map(async (theme) => {
        return { wallet, theme, preview: await this.draw(subject, wallet, { theme, lang }) };
      });
      return Promise.all(drawn);
    });
    return (await Promise.all(pictures)).flat();
  }

  private async draw(
    { template, pass }: PreviewSubject,
    wallet: PreviewWallet,
    { theme, lang }: { theme: 'light' | 'dark'; lang: string },
  ): Promise<Preview> {
    const images = { ...template.images, ...(pass.thumbnail && { thumbnail: pass.thumbnail }) };
    return preview(template, pass, {
      wallet,
      theme,
      images: await previewImages(this.storage, images, wallet),
      now: this.clock.now(),
      language: lang,
    });
  }

  private answer({ path }: PreviewSubject, pictures: Pictures, findings: PreviewAnswer['findings']): PreviewAnswer {
    const base = `${this.options.baseUrl}${path}`;
    return {
      pictures: pictures.map(({ wallet, theme }) => {
        const address = `${base}?wallet=${wireName(wallet)}&theme=${theme}`;
        return { wallet: wireName(wallet), theme, svgUrl: `${address}&format=svg`, pngUrl: `${address}&format=png` };
      }),
      findings,
      cut: cutTexts(pictures).map(({ wallet, in: document, path: at, text, shown }) => {
        return { wallet: wireName(wallet), in: document, path: at, text, shown };
      }),
    };
  }
}

function wireName(wallet: PreviewWallet): WireWallet {
  const name = Object.entries(wireWallets).find(([, known]) => known === wallet)?.[0];
  return (name ?? 'web') as WireWallet;
}

function tagOf(parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([previewRecipe, ...parts]));
  return `"${hash.digest('base64url').slice(0, 27)}"`;
}
