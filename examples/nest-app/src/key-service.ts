import { constants, createPrivateKey, privateEncrypt, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

// The prefix of a SHA-256 digest in an RSA signature (RFC 8017 §9.2).
const sha256Info = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/**
 * Stands in for AWS KMS, Google Cloud KMS, Azure Key Vault or an HSM: it signs digests and never reveals the key. With
 * a real one, `sign` is one request: algorithm RSASSA_PKCS1_V1_5_SHA_256, the digest as the message.
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
