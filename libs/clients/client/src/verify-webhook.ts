import type { WebhookEvent } from './webhook-events.js';

const TOLERANCE_SECONDS = 300;

/** The request does not come from the webhook with this secret, or it is too old. */
export class InvalidWebhook extends Error {
  override readonly name = 'InvalidWebhook';
}

/**
 * The headers of a request: an object as in Node, or the `Headers` of any implementation. Names may have any letter
 * case.
 */
export type WebhookHeaders = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks by the rules of Standard Webhooks that a request comes from the webhook with this secret, and returns its
 * event.
 * @param body the body as received, before it is parsed
 * @param secret the webhook's secret, `whsec_…`
 * @throws InvalidWebhook if the signature is wrong, or the time of the request is more than five minutes in the past or
 * future.
 * @throws TypeError if the body was already parsed, or the secret is malformed
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  if (typeof body !== 'string' && !ArrayBuffer.isView(body))
    throw new TypeError('verifyWebhook takes the body as it was received, as text or bytes, not a parsed one.');
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(ageSeconds <= TOLERANCE_SECONDS)) {
    throw new InvalidWebhook(`webhook-timestamp is not within ${TOLERANCE_SECONDS} seconds of the time here.`);
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const key = await keyOf(secret);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  // While a secret is replaced, the service sends several signatures. `verify` compares in constant time.
  for (const signature of signatures.split(' ')) {
    const given = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : null;
    if (given && (await crypto.subtle.verify('HMAC', key, given, signed))) return JSON.parse(text) as WebhookEvent;
  }
  throw new InvalidWebhook('No signature in webhook-signature is of this secret and body.');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isReader(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidWebhook(`The header ${name} is missing.`);
}

/** Checks for the method `get`, because other implementations of `Headers` are not instances of ours. */
function isReader(headers: WebhookHeaders): headers is Pick<Headers, 'get'> {
  return typeof headers.get === 'function';
}

function keyOf(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('The secret of a webhook is whsec_ and base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Decodes base64. Returns null for other text. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
