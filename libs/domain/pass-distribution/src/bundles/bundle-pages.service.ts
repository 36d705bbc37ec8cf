import { Injectable } from '@nestjs/common';
import { Clock, findSigningIdentity, GoogleWallet, Signer } from '@passwright/core';
import { WalletPassesRepository, type WalletPass, passLinks } from '@passwright/passes';
import { type BundledPass, bundlePage, type Reader, type WebPage } from '@passwright/wallet-renderers';
import { PassPagesOptions } from '../pass-pages.options.js';
import { PageTemplates } from '../web/page-templates.service.js';
import { passSummary } from '../web/pass-summary.js';
import { groupsTogether } from '../web/related-passes.js';
import { type BundledAddress, bundleQuery } from './bundle-query.js';
import { BundlesService } from './bundles.service.js';

/** The wallets that the account can use now. */
interface Wallets {
  readonly apple: boolean;
  readonly google: boolean;
}

/**
 * Renders a page with the passes of a bundle, and a link for each wallet that can add them. Passes of one group appear
 * together.
 */
@Injectable()
export class BundlePagesService {
  constructor(
    private readonly options: PassPagesOptions,
    private readonly walletPasses: WalletPassesRepository,
    private readonly bundles: BundlesService,
    private readonly templates: PageTemplates,
    private readonly signer: Signer,
    private readonly wallet: GoogleWallet,
    private readonly clock: Clock,
  ) {}

  /**
   * @param addresses 1 to 10 addresses of passes of one account
   * @param opensBundles true if the reader's browser opens a bundle of Apple packages
   * @returns the page; `development` is true if a development certificate signs its Apple packages
   * @throws BundledPassNotFound or PassDeleted, which name all affected passes
   */
  async page(
    accountId: string,
    addresses: readonly BundledAddress[],
    reader: Reader,
    opensBundles: boolean,
  ): Promise<WebPage & { development: boolean }> {
    const found = await Promise.all(addresses.map((address) => this.walletPasses.find(address)));
    const missing = addresses.filter((_, at) => !found[at]);
    if (missing.length > 0) await this.bundles.reject(missing);
    const [identity, google] = await Promise.all([
      findSigningIdentity(this.signer, accountId),
      this.wallet.identity(accountId).catch(() => null),
    ]);
    const wallets = { apple: identity !== null, google: google !== null };
    const development = identity?.development ?? false;
    const rows = addresses.flatMap((address, at) => {
      const row = found[at];
      return row ? [{ address, row }] : [];
    });
    const inOrder = groupsTogether(rows, ({ row }) => row.pass.group);
    const shown = inOrder.map(({ address, row }) => this.shown(address, row, reader, wallets));
    const page = bundlePage({
      passes: await Promise.all(shown),
      urls: this.urls(accountId, bundleQuery(addresses), wallets),
      development,
      googleDevelopment: google?.development ?? false,
      reader,
      opensBundles,
    });
    return { ...page, development };
  }

  private urls(accountId: string, query: string, { apple, google }: Wallets) {
    const { baseUrl } = this.options;
    const bundle = `${baseUrl}/v1/pass/${accountId}/bundle`;
    return {
      apple: apple ? `${bundle}/walletA?${query}&download=1` : null,
      google: google ? `${bundle}/walletB?${query}` : null,
      web: `${baseUrl}/p/${accountId}/bundle?${query}`,
    };
  }

  private async shown(
    address: BundledAddress,
    row: WalletPass,
    reader: Reader,
    { apple, google }: Wallets,
  ): Promise<BundledPass> {
    const template = await this.templates.get(address, row);
    const { walletAUrl, walletBUrl, webUrl } = passLinks(this.options.baseUrl, address);
    return {
      ...passSummary(template, row, reader, this.clock.now(), this.options),
      urls: { apple: apple ? walletAUrl : null, google: google ? walletBUrl : null, web: webUrl },
    };
  }
}
