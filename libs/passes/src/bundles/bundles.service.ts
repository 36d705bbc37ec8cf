import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { TemplatesService } from '@passwright/templates';
import {
  bundleOf,
  bundlePage,
  mergedFields,
  passState,
  stateInWords,
  type BundledPass,
  type WebPage,
} from '@passwright/wallet-renderers';
import { type ApplePass, ApplePassesService } from '../apple/apple-passes.service.js';
import { passLinks } from '../passes/pass-links.js';
import { PassesOptions } from '../passes.options.js';
import { webImages } from '../web/web-images.js';
import type { BundledAddress } from './bundle-query.js';
import { BundledPassNotFound, PassDeleted } from './bundles.errors.js';
import { DeletedPassesRepository } from '../passes/deleted-passes.repository.js';

/** The passes of a bundle, all of which can be had. */
export interface Bundle {
  readonly passes: readonly ApplePass[];
  /** Weak, as those of its packages. */
  readonly etag: string;
  readonly development: boolean;
}

/** Puts packages of several passes together, to be added at once. */
@Injectable()
export class BundlesService {
  constructor(
    private readonly options: PassesOptions,
    private readonly applePasses: ApplePassesService,
    private readonly deleted: DeletedPassesRepository,
    private readonly templates: TemplatesService,
    private readonly clock: Clock,
  ) {}

  /** Nothing is built yet. @throws BundledPassNotFound, PassDeleted naming all that are, WalletUnavailable */
  async get(addresses: readonly BundledAddress[]): Promise<Bundle> {
    const found = await Promise.all(addresses.map((address) => this.applePasses.find(address)));
    const missing = addresses.filter((_, at) => !found[at]);
    if (missing.length > 0) await this.refuse(missing);
    const passes = found.filter((pass) => pass !== null);
    const etags = passes.map(({ etag }) => etag).join();
    return {
      passes,
      etag: `W/"${createHash('sha256').update(etags).digest('base64url').slice(0, 22)}"`,
      development: passes.some(({ identity }) => identity.development),
    };
  }

  /** @returns the bundle as a list of buffers to send one after the other; never write into them. @throws WalletUnavailable */
  async build({ passes }: Bundle): Promise<Buffer[]> {
    const packages = passes.map(async (pass, at) => ({
      name: `${at + 1}-${pass.address.templateId}`,
      parts: await this.applePasses.package(pass),
    }));
    return bundleOf(await Promise.all(packages));
  }

  /** For browsers that cannot open bundles. @param query of this very bundle, without the question mark */
  async page({ passes, development }: Bundle, accountId: string, query: string): Promise<WebPage> {
    const { baseUrl } = this.options;
    return bundlePage({
      passes: await Promise.all(passes.map((pass) => this.shown(pass))),
      bundleUrl: `${baseUrl}/v1/pass/${accountId}/bundle/walletA?${query}&download=1`,
      webUrl: `${baseUrl}/p/${accountId}/bundle?${query}`,
      development,
    });
  }

  private async shown({ address, row: { pass } }: ApplePass): Promise<BundledPass> {
    const template = await this.templates.get(address.accountId, address.templateId);
    const { walletAUrl, webUrl } = passLinks(this.options.baseUrl, address);
    const state = stateInWords(passState(template, pass, this.clock.now()), pass);
    return {
      title: template.title,
      issuerName: template.issuerName,
      detail: pass.primaryValue ?? mergedFields(template, pass).fields[0]?.value ?? '',
      iconUrl: webImages(template.images, this.options.baseUrl).icon ?? null,
      ended: state.tone === 'ended' ? state.words : null,
      appleUrl: walletAUrl,
      webUrl,
    };
  }

  /** @throws BundledPassNotFound, PassDeleted naming all that are */
  async refuse(missing: readonly BundledAddress[]): Promise<never> {
    const wereDeleted = await Promise.all(missing.map((address) => this.deleted.has(address)));
    const unknown = missing.filter((_, at) => !wereDeleted[at]);
    if (unknown.length > 0) throw new BundledPassNotFound(unknown.map(({ name }) => name));
    throw new PassDeleted(missing.map(({ name }) => name));
  }
}
