import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  Clock,
  findSigningIdentity,
  type GoogleIdentity,
  Signer,
  type SigningIdentity,
  versionSuffix,
} from '@passwright/core';
import { GoogleLinksService } from '@passwright/google-wallet';
import {
  WalletPassesRepository,
  type WalletPass,
  IssuedPassesService,
  type PassAddress,
  type RelatedVersion,
  passLinks,
  PassNotFound,
} from '@passwright/passes';
import { imagesForReader } from '@passwright/templates';
import {
  passState,
  type Reader,
  type RelatedPasses,
  wantedFrom,
  type WebPage,
  webPage,
  webPageBuild,
} from '@passwright/wallet-renderers';
import { PassPagesOptions } from '../pass-pages.options.js';
import { PageTemplates } from './page-templates.service.js';
import { passSummary } from './pass-summary.js';
import { maxRelatedPasses, togetherUrl, versionOfRelated } from './related-passes.js';
import { badgesFor, versionOfBadges } from './wallet-badges.js';
import { webImages } from './web-images.js';
import { PassWasDeleted } from './web-views.errors.js';

/** The web view of a pass before it is rendered. */
export interface WebView {
  readonly address: PassAddress;
  readonly reader: Reader;
  readonly row: WalletPass;
  /** The versions of the related passes. */
  readonly related: readonly RelatedVersion[];
  readonly now: Date;
  /** The identity that signs the package of the pass; null if no certificate can sign it. */
  readonly identity: SigningIdentity | null;
  /** The Google issuer; null while Google Wallet cannot be used. */
  readonly google: GoogleIdentity | null;
  /** A tag that changes whenever the page changes. */
  readonly etag: string;
  /** True if a development certificate signs its Apple package. */
  readonly development: boolean;
}

/** Renders the current state of a pass for a browser. */
@Injectable()
export class WebViewsService {
  private readonly badgesVersion: string;

  constructor(
    private readonly options: PassPagesOptions,
    private readonly walletPasses: WalletPassesRepository,
    private readonly passes: IssuedPassesService,
    private readonly templates: PageTemplates,
    private readonly signer: Signer,
    private readonly links: GoogleLinksService,
    private readonly clock: Clock,
  ) {
    this.badgesVersion = versionOfBadges(options.badges);
  }

  /** Finds a pass without rendering it. @throws PassNotFound, PassWasDeleted */
  async get(address: PassAddress, reader: Reader): Promise<WebView> {
    const row = await this.walletPasses.find(address);
    if (!row) return this.reject(address);
    const [identity, google, related] = await Promise.all([
      findSigningIdentity(this.signer, address.accountId),
      this.links.findIdentity(address.accountId),
      this.walletPasses.findRelatedVersions(address, row.pass, maxRelatedPasses),
    ]);
    const now = this.clock.now();
    const state = passState(row.template, row.pass, now);
    return {
      address,
      reader,
      row,
      related,
      now,
      identity,
      google,
      etag: etagOf(
        row,
        [state, ...versionOfRelated(related, now)],
        [identity?.fingerprint, google?.fingerprint, this.badgesVersion],
        reader,
        this.options,
      ),
      development: identity?.development ?? false,
    };
  }

  /** @throws TemplateNotFound if it was deleted in the meantime */
  async page(view: WebView): Promise<WebPage> {
    const { address, reader, row, now, identity, google, etag, development } = view;
    const template = await this.templates.get(address, row);
    const { walletAUrl, walletBUrl, webUrl } = passLinks(this.options.baseUrl, address);
    const images = imagesForReader(template, row.pass, wantedFrom(reader, row.pass), this.options.language);
    return webPage(template, row.pass, {
      urls: {
        apple: identity && walletAUrl,
        google: this.links.canLink(google, template.type) ? walletBUrl : null,
        web: webUrl,
      },
      badges: badgesFor(this.options.badges, reader),
      images: webImages(images, this.options.baseUrl, row.pass.thumbnail),
      related: await this.relatedPasses(view),
      now,
      development,
      googleDevelopment: google?.development ?? false,
      reader,
      language: this.options.language,
      version: etag,
    });
  }

  /**
   * Lists the other passes. Omits the links of passes whose sharing is prohibited, because the reader may not be their
   * holder.
   */
  private async relatedPasses({ address, row, related, reader, now }: WebView): Promise<RelatedPasses | null> {
    if (related.length === 0) return null;
    const { baseUrl } = this.options;
    const others = await this.walletPasses.findRelated(address, row.pass, maxRelatedPasses);
    const found = await Promise.all(
      others.map(async (other) => ({ other, template: await this.templates.get(other.address, other.row) })),
    );
    // The related passes may have been deleted in the meantime.
    if (found.length === 0) return null;
    const linked = found.filter(({ template }) => !template.sharingProhibited).map(({ other }) => other);
    const passes = found.map(({ other, template }) => {
      const summary = passSummary(template, other.row, reader, now, this.options);
      if (template.sharingProhibited) return { ...summary, detail: '', webUrl: null };
      return { ...summary, webUrl: passLinks(baseUrl, other.address).webUrl };
    });
    return { passes, allUrl: togetherUrl(baseUrl, address, row.pass, linked) };
  }

  private async reject(address: PassAddress): Promise<never> {
    const { templateId, passId } = address;
    if (await this.passes.wasDeleted(address)) throw new PassWasDeleted(templateId, passId);
    throw new PassNotFound(templateId, passId);
  }
}

/**
 * Returns an ETag from version numbers instead of bytes, so that conditional requests need no rendering. It is weak,
 * because compression does not change it.
 */
function etagOf(
  { pass, template }: WalletPass,
  states: readonly unknown[],
  wallets: readonly unknown[],
  reader: Reader,
  { baseUrl, language }: PassPagesOptions,
) {
  const parts = [
    [pass.serialNumber, pass.updatedAt.getTime(), ...states],
    [template.createdAt.getTime(), template.revision, ...[versionSuffix()].filter((suffix) => suffix !== '')],
    wallets,
    [reader.locale, reader.device, reader.inApp, reader.languages],
    [webPageBuild, baseUrl, language],
  ];
  return `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;
}
