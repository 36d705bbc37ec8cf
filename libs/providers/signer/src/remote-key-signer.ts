import { hash, type KeyObject, verify } from 'node:crypto';
import { type Clock, Signer, type SigningIdentity, WalletUnavailable } from '@passwright/core/plain';
import { toIdentity } from './apple-credential.js';
import { validity } from './certificate-problems.js';
import { CmsEncoder } from './cms-encoder.js';
import { loadCertificates } from './signing-material.js';

/** The time after which a key service that did not respond may respond again. */
const RETRY_SECONDS = 10;

/** A pass type certificate whose private key is in a KMS, an HSM or another process. */
export interface RemoteKey {
  readonly certificatePem: string;
  readonly intermediatePem: string;
  /**
   * Signs by RSASSA-PKCS1-v1_5 with SHA-256. Key services call this `RSASSA_PKCS1_V1_5_SHA_256`, `RS256` or
   * `RSA_SIGN_PKCS1_2048_SHA256`. @param digest the SHA-256 digest to sign, 32 bytes. @returns a signature as long as
   * the key
   */
  readonly sign: (digest: Buffer) => Promise<Uint8Array>;
  /** The time limit of `sign`, after which the wallet counts as unavailable. Default: 10,000 ms. */
  readonly timeoutMs?: number;
}

/**
 * Signs for every account with a key outside this process. Each package needs one signature of that key. Verifies each
 * signature, because phones silently reject a wrong one.
 */
export class RemoteKeySigner extends Signer {
  private readonly encoder: CmsEncoder;
  private readonly publicKey: KeyObject;
  private readonly who: SigningIdentity;
  private readonly valid: { readonly from: Date; readonly to: Date };

  /** @throws Error that lists everything wrong with the certificates, except expiry */
  constructor(
    private readonly key: RemoteKey,
    private readonly clock: Clock,
  ) {
    super();
    const certificates = loadCertificates(key);
    const { certificate, intermediate } = certificates;
    this.encoder = new CmsEncoder(certificate, intermediate);
    this.publicKey = certificate.publicKey;
    this.who = toIdentity(certificates);
    this.valid = validity(certificate, intermediate);
  }

  override identity(_accountId: string): Promise<SigningIdentity> {
    const { from, to } = this.valid;
    const now = this.clock.now();
    if (from <= now && now <= to) return Promise.resolve(this.who);
    return Promise.reject(
      this.unavailable(
        `is valid from ${from.toISOString()} to ${to.toISOString()} only, and it is ${now.toISOString()}`,
      ),
    );
  }

  /**
   * Signs a manifest.
   * @throws WalletUnavailable if the certificate is not valid now, or if the key is unreachable or does not match the
   * certificate. The error's `cause` names the reason
   */
  override async sign(accountId: string, manifest: Uint8Array): Promise<Uint8Array> {
    await this.identity(accountId);
    const { attributes, finish } = this.encoder.begin(manifest, this.clock.now());
    const signature = await this.asked(hash('sha256', attributes, 'buffer'));
    // Check the type too, because the client of a key service may return something else.
    if (!(signature instanceof Uint8Array) || !verify('sha256', attributes, this.publicKey, signature)) {
      throw this.unavailable('does not belong to the key that signs: its public key does not verify the signature');
    }
    return finish(signature);
  }

  private async asked(digest: Buffer): Promise<Uint8Array> {
    const { sign, timeoutMs = 10_000 } = this.key;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([sign(digest), late]);
    } catch (cause) {
      const error = this.unavailable('cannot be used now: its key does not respond', RETRY_SECONDS);
      throw Object.assign(error, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  private unavailable(why: string, retryAfterSeconds?: number): WalletUnavailable {
    const found = `The Apple Wallet certificate of "${this.who.passTypeIdentifier}" ${why}.`;
    return new WalletUnavailable(found, retryAfterSeconds);
  }
}
