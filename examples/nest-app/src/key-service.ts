import { constants, createPrivateKey, privateEncrypt, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

// The fixed bytes before a SHA-256 digest in an RSA signature (RFC 8017 §9.2).
const sha256Info = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/**
 * A substitute for AWS KMS, Google Cloud KMS, Azure Key Vault or an HSM. It signs digests and never reveals the key.
 * A real service needs one request for `sign`: the algorithm is RSASSA_PKCS1_V1_5_SHA_256, and the message is the
 * digest.
 */
export class KeyService {
  readonly #key: KeyObject;

  private constructor(key: KeyObject) {
    this.#key = key;
  }

  static async open(keyFile: string): Promise<KeyService> {
    return new KeyService(createPrivateKey(await readFile(keyFile)));
  }

  sign(digest: Uint8Array): Promise<Uint8Array> {
    const message = Buffer.concat([sha256Info, digest]);
    return Promise.resolve(privateEncrypt({ key: this.#key, padding: constants.RSA_PKCS1_PADDING }, message));
  }
}
