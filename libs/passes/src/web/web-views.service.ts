import { Injectable } from '@nestjs/common';
import { Clock, Signer } from '@passwright/core';
import { TemplatesService } from '@passwright/templates';
import { type WebPage, webPage } from '@passwright/wallet-renderers';
import { findIdentity } from '../apple/development-signing.js';
import { type PassAddress, passLinks } from '../passes/pass-links.js';
import { PassNotFound } from '../passes/passes.errors.js';
import { PassesOptions } from '../passes.options.js';
import { PassesRepository } from '../passes/passes.repository.js';
import { webImages } from './web-images.js';

/** The page of a pass, and whether its Apple package is signed by the development chain. */
export interface WebView extends WebPage {
  readonly development: boolean;
}

/** Shows a pass in a browser, as it stands at the moment. */
@Injectable()
export class WebViewsService {
  constructor(
    private readonly options: PassesOptions,
    private readonly repository: PassesRepository,
    private readonly templates: TemplatesService,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {}

  /** @throws PassNotFound */
  async get(address: PassAddress): Promise<WebView> {
    const issued = await this.repository.find(address);
    if (!issued) throw new PassNotFound(address.templateId, address.passId);
    const [template, identity] = await Promise.all([
      this.templates.get(address.accountId, address.templateId),
      findIdentity(this.signer, address.accountId),
    ]);
    const { walletAUrl, webUrl } = passLinks(this.options.baseUrl, address);
    const development = identity?.development ?? false;
    const page = webPage(template, issued.pass, {
      urls: { apple: identity && walletAUrl, web: webUrl },
      images: webImages(template.images, this.options.baseUrl, issued.pass.thumbnail),
      now: this.clock.now(),
      development,
    });
    return { ...page, development };
  }
}
