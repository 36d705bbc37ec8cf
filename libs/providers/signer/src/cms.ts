import { type KeyObject, sign, type X509Certificate } from 'node:crypto';
import { CmsEncoder } from './cms-encoder.js';

/** What signatures are made with. The key comes parsed: parsing it for each signature would cost more than signing. */
export interface SigningMaterial {
  readonly certificate: X509Certificate;
  readonly intermediate: X509Certificate;
  readonly privateKey: KeyObject;
}

/** Detached CMS signatures, as `CmsEncoder` encodes them, by a key that is in this process. */
export class DetachedCms {
  private readonly privateKey: KeyObject;
  private readonly encoder: CmsEncoder;

  /** @param material as `loadSigningMaterial` gives it: nothing is checked here */
  constructor({ certificate, intermediate, privateKey }: SigningMaterial) {
    this.privateKey = privateKey;
    this.encoder = new CmsEncoder(certificate, intermediate);
  }

  /** Signs `content` on the thread pool, so the event loop goes on. `at` is the signing time, kept in whole seconds. */
  sign(content: Uint8Array, at: Date): Promise<Buffer> {
    const { attributes, finish } = this.encoder.begin(content, at);
    return new Promise((resolve, reject) => {
      sign('sha256', attributes, this.privateKey, (error, signature) => {
        if (error) reject(error);
        else resolve(finish(signature));
      });
    });
  }

  /** The same on the calling thread, which it blocks for one RSA operation: for command lines and worker threads. */
  signSync(content: Uint8Array, at: Date): Buffer {
    const { attributes, finish } = this.encoder.begin(content, at);
    return finish(sign('sha256', attributes, this.privateKey));
  }
}
