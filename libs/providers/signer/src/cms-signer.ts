import { type Clock, Signer, type SigningIdentity, WalletUnavailable } from '@passwright/core';
import { DetachedCms, type SigningMaterial } from './cms.js';
import { loadDevelopmentChain } from './development-chain.js';
import type { SignerOptions } from './signer.options.js';
import { certificateOwner, loadSigningMaterial, validity } from './signing-material.js';

/** Signs for every account with the operator's one pass type certificate, off the event loop. */
export class CmsSigner extends Signer {
  private readonly cms: DetachedCms;
  private readonly owner: SigningIdentity;
  private readonly valid: { readonly from: Date; readonly to: Date };

  /** @param material checked: `CmsSigner.load` does it */
  constructor(
    material: SigningMaterial,
    development: boolean,
    private readonly clock: Clock,
  ) {
    super();
    const { certificate, intermediate } = material;
    this.cms = new DetachedCms(material);
    this.valid = validity(certificate, intermediate);
    this.owner = {
      ...certificateOwner(certificate),
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      expiresAt: this.valid.to,
      development,
    };
  }

  /** Loads the certificate, or makes the development chain. @throws Error listing in words all that is wrong with it */
  static async load({ identity }: SignerOptions, clock: Clock): Promise<CmsSigner> {
    const development = identity.kind === 'development';
    const pem = development ? await loadDevelopmentChain(identity, clock.now()) : identity;
    return new CmsSigner(loadSigningMaterial(pem, clock.now()), development, clock);
  }

  override identity(_accountId: string): Promise<SigningIdentity> {
    return this.whileInDate(() => Promise.resolve(this.owner));
  }

  override sign(_accountId: string, manifest: Uint8Array): Promise<Uint8Array> {
    return this.whileInDate((now) => this.cms.sign(manifest, now));
  }

  /** Phones judge a chain at the signing time: what is signed out of date never opens. */
  private whileInDate<T>(use: (now: Date) => Promise<T>): Promise<T> {
    const now = this.clock.now();
    if (this.valid.from <= now && now <= this.valid.to) return use(now);
    return Promise.reject(
      new WalletUnavailable(
        `The Apple Wallet certificate of "${this.owner.passTypeIdentifier}" is valid ` +
          `from ${this.valid.from.toISOString()} to ${this.valid.to.toISOString()} only; the operator has to renew it.`,
      ),
    );
  }
}
