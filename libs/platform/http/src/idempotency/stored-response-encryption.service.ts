import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type MasterKey, NotReady, DecryptionFailed, SecretBox, UnknownMasterKey } from '@passwright/core';
import { HttpOptions } from '../http.options.js';

/** A stored body, in clear or encrypted. An erasure finds an encrypted body by its names. */
export interface StoredBody {
  readonly body: string | null;
  readonly encrypted: Buffer | null;
  readonly names: readonly string[] | null;
}

const PURPOSE = 'stored-response';
const emailKeyContext = 'e-mail in stored response';
/**
 * The maximum number of addresses to list for a body. A body with more gets the single name `email:*`, which every
 * erasure of an address finds.
 */
const maxEmails = 250;
const anyEmail = 'email:*';
const maxLocalPart = 64;
const maxDomain = 253;
const localPart = /[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]/;
const domain = /[A-Za-z0-9.-]/;

/**
 * Encrypts stored responses under a key derived from a master key and the caller's `Idempotency-Key`. The database has
 * only a hash of the latter, so the master key alone cannot decrypt a backup. An erasure finds the responses by the
 * passes, mails and addresses in them.
 */
@Injectable()
export class StoredResponseEncryptionService {
  private readonly masterKeys: readonly MasterKey[];
  private readonly encrypts: boolean;

  constructor({ storedResponses }: HttpOptions) {
    this.masterKeys = storedResponses?.masterKeys ?? [];
    this.encrypts = storedResponses?.encrypts ?? false;
  }

  /** @param key the caller's `Idempotency-Key` */
  encrypt(accountId: string, key: string, body: string | null): StoredBody {
    if (body === null || !this.encrypts) return { body, encrypted: null, names: null };
    const encrypted = this.boxFor(accountId, key).encrypt(body, { accountId, purpose: PURPOSE });
    return { body: null, encrypted, names: [...resourcesIn(body), ...this.emailNames(accountId, body)] };
  }

  /** @param key the caller's `Idempotency-Key`. @throws NotReady when the master key is missing or wrong */
  open(accountId: string, key: string, { body, encrypted }: Omit<StoredBody, 'names'>): string | null {
    if (!encrypted) return body;
    try {
      if (this.masterKeys.length === 0) throw new UnknownMasterKey('');
      return this.boxFor(accountId, key).open(encrypted, { accountId, purpose: PURPOSE }).toString();
    } catch (error) {
      if (!(error instanceof UnknownMasterKey) && !(error instanceof DecryptionFailed)) throw error;
      const unready = new NotReady(
        'This node cannot read its response to this Idempotency-Key just now. Try again; the log of the node says why.',
      );
      unready.cause = error;
      throw unready;
    }
  }

  /**
   * Returns the names under which stored responses with this e-mail address are listed: one per master key, and the
   * name for responses with too many addresses.
   */
  namesOf(accountId: string, email: string): string[] {
    const names = this.masterKeys.map(({ key }) => nameWith(emailKeyOf(accountId, key), email.toLowerCase()));
    return [...names, anyEmail];
  }

  private emailNames(accountId: string, body: string): string[] {
    const emails = addressesIn(body, maxEmails);
    if (!emails) return [anyEmail];
    const key = emailKeyOf(accountId, this.masterKeys[0]?.key ?? new Uint8Array());
    return emails.map((email) => nameWith(key, email));
  }

  private boxFor(accountId: string, idempotencyKey: string): SecretBox {
    const context = ['stored response', accountId, idempotencyKey];
    return new SecretBox(this.masterKeys.map(({ id, key }) => ({ id, key: derived(key, context) })));
  }
}

function emailKeyOf(accountId: string, masterKey: Uint8Array): Uint8Array {
  return derived(masterKey, [emailKeyContext, accountId]);
}

function nameWith(key: Uint8Array, email: string): string {
  return `email:${createHmac('sha256', key).update(email).digest('base64url')}`;
}

function derived(key: Uint8Array, context: readonly string[]): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', JSON.stringify(context), 32));
}

const linkedPass = /\/p\/[^/"]+\/([\w.-]{1,64}\/[\w.-]{1,64})"/g;

/**
 * Returns the passes and the mail that a response is about. Finds passes by all links to their pages, because the
 * fields of a pass may link to other passes. Finds a member by its `templateId` and `passId`, and a mail by its own id.
 */
function resourcesIn(body: string): string[] {
  const linked = [...new Set([...body.matchAll(linkedPass)].map(([, pass]) => `pass:${pass}`))];
  const [, templateId] = /"templateId":"([^"]+)"/.exec(body) ?? [];
  const [, passId] = /"passId":"([^"]+)"/.exec(body) ?? [];
  const [, mail] = /^\{"id":"([^"]+)"/.exec(body) ?? [];
  const named = templateId && passId ? [`pass:${templateId}/${passId}`] : [];
  return [...linked, ...named, ...(mail ? [`mail:${mail}`] : [])];
}

/**
 * Finds possible e-mail addresses in a text, in lower case. A quotation mark before an address may belong to it, so
 * both forms count.
 * @returns null if there are more than `most`
 */
function addressesIn(text: string, most: number): string[] | null {
  const found = new Set<string>();
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let [from, to] = [at, at + 1];
    while (from > 0 && at - from < maxLocalPart && localPart.test(text.charAt(from - 1))) from -= 1;
    while (to < text.length && to - at <= maxDomain && domain.test(text.charAt(to))) to += 1;
    while (to > at + 1 && text.charAt(to - 1) === '.') to -= 1;
    if (from === at || to === at + 1) continue;
    const address = text.slice(from, to).toLowerCase();
    found.add(address).add(address.replace(/^[^a-z0-9]+/, ''));
    if (found.size > most) return null;
  }
  return [...found];
}
