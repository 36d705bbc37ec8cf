import { type AccountCertificates, type AppleCredential, type AppleCredentials } from '@passwright/core/plain';
import { type Clock, Signer, type SigningIdentity } from '@passwright/core/plain';
import { DetachedCms } from './detached-cms.js';
import { ResolvedCredentials } from './resolved-credentials.js';
import type { SignerOptions } from './signer.options.js';
import { loadSigningMaterial } from './signing-material.js';

/** The data computed once per credential: the identity and the encoder. */
interface Compiled {
  readonly identity: SigningIdentity;
  readonly cms: DetachedCms;
}

/** Signs for each account with its credential, without blocking the event loop. */
export class CmsSigner extends Signer {
  private readonly compiled = new WeakMap<AppleCredential, Compiled>();

  /** @param credentials returns the same object until a credential changes, because the object is the cache key */
  constructor(
    private readonly credentials: AppleCredentials,
    private readonly clock: Clock,
  ) {
    super();
  }

  /**
   * Creates a signer with the credentials of `ResolvedCredentials.load`. @throws Error in the same cases as that method
   */
  static async load(options: SignerOptions, clock: Clock, accounts?: AccountCertificates): Promise<CmsSigner> {
    return new CmsSigner(await ResolvedCredentials.load(options, clock, accounts), clock);
  }

  override async identity(accountId: string): Promise<SigningIdentity> {
    return this.compiledOf(await this.credentials.of(accountId)).identity;
  }

  override async sign(accountId: string, manifest: Uint8Array): Promise<Uint8Array> {
    return this.compiledOf(await this.credentials.of(accountId)).cms.sign(manifest, this.clock.now());
  }

  private compiledOf(credential: AppleCredential): Compiled {
    const known = this.compiled.get(credential);
    if (known) return known;
    const compiled = compile(credential);
    this.compiled.set(credential, compiled);
    return compiled;
  }
}

function compile(credential: AppleCredential): Compiled {
  const { passTypeIdentifier, teamIdentifier, organizationName, fingerprint, expiresAt, development } = credential;
  return {
    identity: { passTypeIdentifier, teamIdentifier, organizationName, fingerprint, expiresAt, development },
    cms: new DetachedCms(loadSigningMaterial(credential)),
  };
}
