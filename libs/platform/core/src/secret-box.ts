import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const keyIdForm = /^[A-Za-z0-9_-]{1,32}$/;

/** A key that encrypts secrets: 32 random bytes, and the id by which encrypted bytes refer to it. */
export interface MasterKey {
  /** 1 to 32 characters of `[A-Za-z0-9_-]`. Never reuse it for another key. */
  readonly id: string;
  readonly key: Uint8Array;
}

/**
 * The account and the purpose of a secret. Encrypted bytes can be decrypted only in the same context, so a copy in
 * another row is useless.
 */
export interface SecretContext {
  readonly accountId: string;
  /** The kind of the secret, such as `apple-certificate`. */
  readonly purpose: string;
}

/** The master key that encrypted the bytes is missing. */
export class UnknownMasterKey extends Error {
  constructor(readonly keyId: string) {
    super(`The secret is encrypted under the master key "${keyId}", which is not among the configured ones`);
    this.name = 'UnknownMasterKey';
  }
}

/** The bytes were changed, belong to another context, or were not encrypted by a `SecretBox`. */
export class DecryptionFailed extends Error {
  constructor(why: string) {
    super(`The encrypted secret cannot be decrypted: ${why}`);
    this.name = 'DecryptionFailed';
  }
}

/**
 * Encrypts secrets at rest with AES-256-GCM (NIST SP 800-38D) and random nonces. The tag authenticates the context and
 * everything before the ciphertext. The first key encrypts, and all keys decrypt. To rotate, put a new key first,
 * re-encrypt everything for which `isCurrent` is false, then remove the old key.
 *
 * Encrypted bytes: version (1), length of the key id (1), key id, nonce (12), ciphertext, tag (16).
 */
export class SecretBox {
  private readonly current: MasterKey;
  private readonly keys: ReadonlyMap<string, MasterKey>;

  /** Creates a box. @throws Error for an empty list, a key that is not 32 bytes long, or an invalid or repeated id */
  constructor(keys: readonly MasterKey[]) {
    const [first] = keys;
    if (!first) throw new Error('There must be a master key');
    for (const { id, key } of keys) {
      if (!keyIdForm.test(id)) throw new Error('The id of a master key must be 1 to 32 characters of [A-Za-z0-9_-]');
      if (key.length !== KEY_BYTES) throw new Error(`The master key "${id}" must be ${KEY_BYTES} bytes long`);
    }
    this.current = first;
    this.keys = new Map(keys.map((key) => [key.id, key]));
    if (this.keys.size < keys.length) throw new Error('Two master keys have the same id');
  }

  /** The id of the key that encrypts. */
  get currentKeyId(): string {
    return this.current.id;
  }

  /** The ids of the keys that decrypt. */
  get keyIds(): readonly string[] {
    return [...this.keys.keys()];
  }

  /** Encrypts a secret; a text is encoded as UTF-8. The bytes differ each time, even for the same secret. */
  encrypt(secret: Uint8Array | string, context: SecretContext): Buffer {
    const id = Buffer.from(this.current.id);
    const head = Buffer.concat([Buffer.of(VERSION, id.length), id, randomBytes(NONCE_BYTES)]);
    const cipher = createCipheriv('aes-256-gcm', this.current.key, head.subarray(-NONCE_BYTES));
    cipher.setAAD(authenticated(head, context));
    return Buffer.concat([head, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  }

  /** Decrypts encrypted bytes. @throws UnknownMasterKey. @throws DecryptionFailed */
  open(encrypted: Uint8Array, context: SecretContext): Buffer {
    const { keyId, head, body } = parse(encrypted);
    const master = this.keys.get(keyId);
    if (!master) throw new UnknownMasterKey(keyId);
    const decipher = createDecipheriv('aes-256-gcm', master.key, head.subarray(-NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(authenticated(head, context));
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new DecryptionFailed('it was changed, or belongs to another account or purpose');
    }
  }

  /** Returns true if the current key encrypted the bytes. @throws DecryptionFailed */
  isCurrent(encrypted: Uint8Array): boolean {
    return parse(encrypted).keyId === this.current.id;
  }
}

function authenticated(head: Buffer, { accountId, purpose }: SecretContext): Buffer {
  // Serialise as JSON, so that different contexts never have the same bytes.
  return Buffer.concat([head, Buffer.from(JSON.stringify([accountId, purpose]))]);
}

function parse(encrypted: Uint8Array): { keyId: string; head: Buffer; body: Buffer } {
  const bytes = Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength);
  const [version, idLength = 0] = bytes;
  const headLength = 2 + idLength + NONCE_BYTES;
  if (version !== VERSION || bytes.length < headLength + TAG_BYTES) throw new DecryptionFailed('it has no known form');
  const keyId = bytes.toString('latin1', 2, 2 + idLength);
  if (!keyIdForm.test(keyId)) throw new DecryptionFailed('it has no known form');
  return { keyId, head: bytes.subarray(0, headLength), body: bytes.subarray(headLength) };
}
