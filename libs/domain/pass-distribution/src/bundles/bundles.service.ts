import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type ApplePass, ApplePassesService } from '@passwright/apple-wallet';
import { IssuedPassesService } from '@passwright/passes';
import { bundleOf } from '@passwright/wallet-renderers';
import type { BundledAddress } from './bundle-query.js';
import { BundledPassNotFound, PassDeleted } from './bundles.errors.js';

/** The passes of a bundle. All of them exist. */
export interface Bundle {
  readonly passes: readonly ApplePass[];
  /** A weak ETag, like the ETags of the packages in the bundle. */
  readonly etag: string;
  readonly development: boolean;
}

/** Combines the packages of several passes, so that they can be added together. */
@Injectable()
export class BundlesService {
  constructor(
    private readonly applePasses: ApplePassesService,
    private readonly issued: IssuedPassesService,
  ) {}

  /**
   * Finds the passes without building their packages.
   * @throws WalletUnavailable.
   * @throws BundledPassNotFound or PassDeleted, which name all affected passes
   */
  async get(addresses: readonly BundledAddress[]): Promise<Bundle> {
    const found = await Promise.all(addresses.map((address) => this.applePasses.find(address)));
    const missing = addresses.filter((_, at) => !found[at]);
    if (missing.length > 0) await this.reject(missing);
    const passes = found.filter((pass) => pass !== null);
    const etags = passes.map(({ etag }) => etag).join();
    return {
      passes,
      etag: `W/"${createHash('sha256').update(etags).digest('base64url').slice(0, 22)}"`,
      development: passes.some(({ identity }) => identity.development),
    };
  }

  /**
   * @returns the buffers of the bundle, to send one after another; never write into them.
   * @throws WalletUnavailable
   */
  async build({ passes }: Bundle): Promise<Buffer[]> {
    const packages = passes.map(async (pass, at) => ({
      name: `${at + 1}-${pass.address.templateId}`,
      parts: await this.applePasses.package(pass),
    }));
    return bundleOf(await Promise.all(packages));
  }

  /** @throws BundledPassNotFound or PassDeleted, which name all affected passes */
  async reject(missing: readonly BundledAddress[]): Promise<never> {
    const wereDeleted = await Promise.all(missing.map((address) => this.issued.wasDeleted(address)));
    const unknown = missing.filter((_, at) => !wereDeleted[at]);
    if (unknown.length > 0) throw new BundledPassNotFound(unknown.map(({ name }) => name));
    throw new PassDeleted(missing.map(({ name }) => name));
  }
}
