import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 2;
/** The format that binds a value to its record but not to its column. The service reads it but no longer writes it. */
const WITHOUT_COLUMN = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;
/** The first character of a blind index. It distinguishes indexes from e-mail addresses, which never start with it. */
export const INDEX_PREFIX = '~';
const INDEX_BYTES = 16;
const TOKEN_BYTES = 9;

/**
 * The record to which values belong. A value can be decrypted only for its own record and column, so that an attacker
 * cannot swap values in the database.
 */
export interface RecordKey {
  /** Unique in the account, such as `member:17`. */
  readonly id: string;
  /**
   * 32 random bytes, stored only in `encryption_key`. Without them, the record cannot be decrypted, not even with the
   * master key.
   */
  readonly salt: Buffer;
}

/**
 * The decrypted key of an account. Each record has its own key: HMAC-SHA-256 of its salt under the account's key.
 * Values are encrypted with AES-256-GCM and a random nonce: version (1), nonce (12), ciphertext, tag (16).
 */
export class AccountKey {
  private readonly recordKey: Buffer;
  private readonly indexKey: Buffer;

  /**
   * @param root 32 random bytes
   * @param isComplete true if the account has no unencrypted records
   */
  constructor(
    private readonly accountId: string,
    root: Uint8Array,
    readonly isComplete: boolean,
  ) {
    this.recordKey = Buffer.from(hkdfSync('sha256', root, '', 'passwright personal data of records', 32));
    this.indexKey = Buffer.from(hkdfSync('sha256', root, '', 'passwright blind indexes', 32));
  }

  /** Encrypts JSON values. @param column the column that stores them, such as `member.personal` */
  encrypt(record: RecordKey, column: string, values: object): Buffer {
    const head = Buffer.concat([Buffer.of(VERSION), randomBytes(NONCE_BYTES)]);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(record), head.subarray(1));
    cipher.setAAD(this.context(record, column));
    return Buffer.concat([head, cipher.update(JSON.stringify(values)), cipher.final(), cipher.getAuthTag()]);
  }

  /**
   * Decrypts values. Returns null for unreadable values, so that one record does not make a whole list fail.
   * @returns null for damaged bytes, and for values of a later format, of another record or column, or under an older
   * key
   */
  open<Values extends object>(record: RecordKey, column: string, encrypted: Buffer): Values | null {
    const version = encrypted[0];
    const isKnown = version === VERSION || version === WITHOUT_COLUMN;
    if (!isKnown || encrypted.length < HEAD_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.keyOf(record), encrypted.subarray(1, HEAD_BYTES));
    decipher.setAAD(this.context(record, version === VERSION ? column : null));
    decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
    const text = decipher.update(encrypted.subarray(HEAD_BYTES, -TAG_BYTES));
    try {
      return JSON.parse(Buffer.concat([text, decipher.final()]).toString()) as Values;
    } catch {
      return null;
    }
  }

  /** Returns the blind index of an e-mail address: the same for every spelling that differs only in case. */
  indexOf(email: string): string {
    return INDEX_PREFIX + this.hmac(`email\n${email.toLowerCase()}`).toString('hex', 0, INDEX_BYTES);
  }

  /** Returns the keyed hash of an identity provider's subject. */
  identityIndexOf(issuer: string, subject: string): string {
    return INDEX_PREFIX + this.hmac(`identity\n${JSON.stringify([issuer, subject])}`).toString('hex', 0, INDEX_BYTES);
  }

  /**
   * Returns the forms in which the database may store an e-mail address: its blind index and, if the account may have
   * unencrypted records, also the plain address.
   */
  formsOf(email: string): string[] {
    return [this.indexOf(email), email.toLowerCase()];
  }

  /** Returns the search token for the first letters of a word. */
  tokenOf(beginning: string): string {
    return this.hmac(`word\n${beginning}`).toString('base64url', 0, TOKEN_BYTES);
  }

  /** Returns a digest of a value. It reveals only whether the value has changed. */
  digestOf(record: RecordKey, name: string, value: unknown): string {
    const text = `digest\n${name}\n${JSON.stringify(value)}`;
    return createHmac('sha256', this.keyOf(record)).update(text).digest().toString('hex', 0, 8);
  }

  private keyOf({ salt }: RecordKey): Buffer {
    return createHmac('sha256', this.recordKey).update(salt).digest();
  }

  private hmac(text: string): Buffer {
    return createHmac('sha256', this.indexKey).update(text).digest();
  }

  private context({ id }: RecordKey, column: string | null): Buffer {
    return Buffer.from(JSON.stringify(column === null ? [this.accountId, id] : [this.accountId, id, column]));
  }
}

/** Returns the salt of a new record. */
export function newSalt(): Buffer {
  return randomBytes(32);
}
