/** The fields of a Google Cloud key file that Passwright uses. */
export interface ServiceAccountKey {
  readonly clientEmail: string;
  /** The PEM-encoded key in PKCS#8 form. */
  readonly privateKeyPem: string;
  readonly privateKeyId?: string;
  readonly tokenUri?: string;
}

/** A generous limit: key files usually have about 2,400 characters. */
const MAX_LENGTH = 32_768;

/**
 * Reads the key file of a service account, as JSON or base64 of that JSON. Does not parse the key itself.
 * @throws Error whose message begins with «must» and says what the file must be
 */
export function readServiceAccountKey(text: string): ServiceAccountKey {
  const file = parse(text);
  if (!file) throw new Error('must be the JSON of a service account key file, or that in base64');
  const { type, client_email, private_key, private_key_id, token_uri } = file;
  if (type !== undefined && type !== 'service_account') {
    throw new Error('must be the key file of a service account, whose type is service_account');
  }
  if (typeof client_email !== 'string') throw new Error('must have client_email, the service account');
  if (typeof private_key !== 'string') throw new Error('must have private_key, in PEM form');
  if (token_uri !== undefined && !isSafe(token_uri))
    throw new Error('must have an https address as token_uri, or none');
  return {
    clientEmail: client_email,
    privateKeyPem: private_key,
    privateKeyId: typeof private_key_id === 'string' ? private_key_id : undefined,
    tokenUri: token_uri,
  };
}

function parse(text: string): Record<string, unknown> | null {
  if (text.length > MAX_LENGTH) return null;
  const json = text.trimStart().startsWith('{') ? text : Buffer.from(text, 'base64').toString();
  try {
    const file: unknown = JSON.parse(json);
    return typeof file === 'object' && file !== null && !Array.isArray(file) ? (file as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Returns true for an https address or an address on this machine. */
function isSafe(address: unknown): address is string {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}
