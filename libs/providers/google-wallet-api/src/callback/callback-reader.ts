import type { KeyObject } from 'node:crypto';
import { type Clock, type GoogleCallback, Unauthorized } from '@passwright/core';
import { jsonObject } from '../api/google-responses.js';
import { type CallbackEnvelope, millisOf, readEnvelope, readMessage } from './callback-envelope.js';
import type { RootKeys } from './root-keys.js';
import { parsePublicKey, signsKey, signsMessage } from './signed-message.js';

/**
 * Verifies callbacks by Google's signature scheme. @see
 * https://developers.google.com/wallet/generic/use-cases/use-callbacks-for-saves-and-deletions
 */
export class CallbackReader {
  constructor(
    private readonly rootKeys: RootKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Verifies and reads a callback. See `GoogleWallet.readCallback`.
   * @throws WalletUnavailable if Google's keys are unavailable
   */
  async read(body: Uint8Array): Promise<GoogleCallback> {
    const envelope = readEnvelope(body);
    const message = readMessage(envelope.signedMessage);
    const key = await this.intermediateKey(envelope);
    // Use the issuer from the class id, because Google signs for each issuer separately.
    if (!signsMessage(key, message.issuerId, envelope.signedMessage, envelope.signature)) {
      throw new Unauthorized('signature is not that of Google Wallet for this message and issuer.');
    }
    if (message.expiresAtMs <= this.now()) throw new Unauthorized('signedMessage.expTimeMillis is past.');
    const { event, classId, objectId, nonce, expiresAtMs } = message;
    return { event, classId, objectId, nonce, expiresAt: new Date(expiresAtMs) };
  }

  private async intermediateKey({ signedKey, keySignatures }: CallbackEnvelope): Promise<KeyObject> {
    const isSigned = (keys: readonly KeyObject[]) =>
      keys.some((key) => keySignatures.some((signature) => signsKey(key, signedKey, signature)));
    if (!isSigned(await this.rootKeys.current()) && !isSigned(await this.rootKeys.renewed())) {
      throw new Unauthorized('intermediateSigningKey is not signed by any key of Google Wallet.');
    }
    const { keyValue, keyExpiration } = jsonObject(signedKey) ?? {};
    const expiresAtMs = millisOf(keyExpiration);
    if (expiresAtMs === null || expiresAtMs <= this.now()) {
      throw new Unauthorized('intermediateSigningKey has expired.');
    }
    const key = typeof keyValue === 'string' ? parsePublicKey(keyValue) : null;
    if (!key) throw new Unauthorized('intermediateSigningKey holds no ECDSA key on P-256.');
    return key;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}
