import { type KeyObject, sign, type X509Certificate } from 'node:crypto';
import { CmsEncoder } from './cms-encoder.js';

/** The certificates and the parsed key of a signer. Parsing the key for each signature would cost more than signing. */
export interface SigningMaterial {
  readonly certificate: X509Certificate;
  readonly intermediate: X509Certificate;
  readonly privateKey: KeyObject;
}

/** Detached CMS signatures by a key in this process, encoded by `CmsEncoder`. */
export class DetachedCms {
  private readonly privateKey: KeyObject;
  private readonly encoder: CmsEncoder;

  /** Assumes valid material. @param material the result of `loadSigningMaterial` */
  constructor({ certificate, intermediate, privateKey }: SigningMaterial) {
    this.privateKey = privateKey;
    this.encoder = new CmsEncoder(certificate, intermediate);
  }

  /**
   * Signs `content` on the thread pool, which keeps the event loop free. `at` is the signing time, in whole seconds.
   */
  sign(content: Uint8Array, at: Date): Promise<Buffer> {
    const { attributes, finish } = this.encoder.begin(content, at);
    return new Promise((resolve, reject) => {
      sign('sha256', attributes, this.privateKey, (error, signature) => {
        if (error) reject(error);
        else resolve(finish(signature));
      });
    });
  }

  /**
   * Signs on the calling thread, which blocks for one RSA operation. Use it in command line tools and worker threads.
   */
  signSync(content: Uint8Array, at: Date): Buffer {
    const { attributes, finish } = this.encoder.begin(content, at);
    return finish(sign('sha256', attributes, this.privateKey));
  }
}
