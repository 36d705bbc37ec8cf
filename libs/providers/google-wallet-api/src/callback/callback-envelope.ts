import { ValidationFailed } from '@passwright/core';
import { jsonObject } from '../api/google-responses.js';
import { PROTOCOL } from './signed-message.js';

/** A callback as received. The signed parts keep their original text. */
export interface CallbackEnvelope {
  readonly signature: string;
  readonly signedKey: string;
  readonly keySignatures: readonly string[];
  readonly signedMessage: string;
}

/** The content of the message, not yet verified. */
export interface CallbackMessage {
  readonly event: 'save' | 'del';
  readonly issuerId: string;
  readonly classId: string;
  readonly objectId: string;
  readonly nonce: string;
  readonly expiresAtMs: number;
}

const MAX_SIGNATURES = 3;
const BASE64 = /^[A-Za-z0-9+/]{1,1024}={0,2}$/;
const ID = /^(\d{10,20})\.[\w.-]{1,200}$/;
const NONCE = /^[\x21-\x7e]{1,200}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the envelope. @throws ValidationFailed that says what is wrong */
export function readEnvelope(body: Uint8Array): CallbackEnvelope {
  const fields = jsonObject(decode(body));
  if (!fields) throw new ValidationFailed('The body must be a JSON object, as Google Wallet sends it.');
  const intermediate = fields.intermediateSigningKey as Record<string, unknown> | null | undefined;
  const { signature, protocolVersion, signedMessage } = fields;
  const signedKey = intermediate?.signedKey;
  const signatures = intermediate?.signatures;
  const problems = [
    protocolVersion === PROTOCOL ? null : `protocolVersion must be ${PROTOCOL}.`,
    isBase64(signature) ? null : 'signature must be text in base64.',
    typeof signedKey === 'string' ? null : 'intermediateSigningKey.signedKey must be text.',
    isSignatures(signatures)
      ? null
      : `intermediateSigningKey.signatures must be 1 to ${MAX_SIGNATURES} texts in base64.`,
    typeof signedMessage === 'string' ? null : 'signedMessage must be text.',
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new ValidationFailed(problems);
  return { signature, signedKey, keySignatures: signatures, signedMessage } as CallbackEnvelope;
}

/** Reads the message inside the envelope. @throws ValidationFailed that says what is wrong */
export function readMessage(signedMessage: string): CallbackMessage {
  const fields = jsonObject(signedMessage);
  if (!fields) throw new ValidationFailed('signedMessage must be a JSON object, as text.');
  const { classId, objectId, eventType, nonce } = fields;
  const expiresAtMs = millisOf(fields.expTimeMillis);
  const [issuerId, objectIssuerId] = [issuerOf(classId), issuerOf(objectId)];
  const problems = [
    issuerId ? null : 'signedMessage.classId must be an issuer id, a dot and a suffix.',
    objectIssuerId && (!issuerId || objectIssuerId === issuerId)
      ? null
      : 'signedMessage.objectId must be the same issuer id, a dot and a suffix.',
    eventType === 'save' || eventType === 'del' ? null : 'signedMessage.eventType must be save or del.',
    typeof nonce === 'string' && NONCE.test(nonce)
      ? null
      : 'signedMessage.nonce must be 1 to 200 visible ASCII characters.',
    expiresAtMs === null ? 'signedMessage.expTimeMillis must be a time in milliseconds.' : null,
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new ValidationFailed(problems);
  return { event: eventType, issuerId, classId, objectId, nonce, expiresAtMs } as CallbackMessage;
}

/**
 * Reads a time that Google writes as a number or as text.
 * @returns null for any other value
 */
export function millisOf(value: unknown): number | null {
  const millis = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof millis === 'number' && Number.isSafeInteger(millis) && millis >= 0 && millis <= 8.64e15 ? millis : null;
}

function decode(body: Uint8Array): string | null {
  try {
    return utf8.decode(body);
  } catch {
    return null;
  }
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && BASE64.test(value);
}

function isSignatures(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_SIGNATURES && value.every(isBase64);
}

function issuerOf(id: unknown): string | null {
  return (typeof id === 'string' && ID.exec(id)?.[1]) || null;
}
