/** A request to show as a command. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Properties whose values are never displayed or copied. */
const secret = /^(?:password|currentPassword|newPassword|refreshToken|passphrase|privateKey|pkcs12|serviceAccount)$/;
/** The property `code` is a credential in sign-ins. Elsewhere it is the content of a barcode. */
const secretAtSignIn = /^code$/;
/** Headers that are not copied, because curl sets them or a placeholder replaces them. */
const left = new Set(['authorization', 'content-type', 'user-agent']);

/** Returns a curl command for a request. Credentials and secrets become placeholders. */
export function curlOf({ method, url, headers = {}, body }: SentRequest): string {
  const names = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const implied = body === undefined ? 'GET' : 'POST';
  const lines = [`curl${method === implied ? '' : ` -X ${method}`} ${quoted(url)}`];
  if (names.has('authorization')) lines.push('-H "Authorization: Bearer $TOKEN"');
  const type = names.get('content-type');
  if (type !== undefined && !isForm(body)) lines.push(`-H ${quoted(`Content-Type: ${type}`)}`);
  for (const [name, value] of names) if (!left.has(name)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  return [...lines, ...bodyLines(body, url, type)].join(' \\\n  ');
}

function bodyLines(body: unknown, url: string, type: string | undefined): string[] {
  if (body === undefined || body === null) return [];
  if (isLines(type)) return ['--data-binary @lines.ndjson'];
  if (isForm(body)) return [...body].map(([name, value]) => `-F ${quoted(`${name}=@${fileName(value)}`)}`);
  return [`-d ${quoted(withoutSecrets(typeof body === 'string' ? body : JSON.stringify(body), url))}`];
}

/** Returns true for a body of many lines, which people send from a file. */
export function isLines(type: string | undefined): boolean {
  return type === 'application/x-ndjson';
}

function isForm(body: unknown): body is FormData {
  return typeof FormData !== 'undefined' && body instanceof FormData;
}

function fileName(value: FormDataEntryValue): string {
  return typeof value === 'string' ? value : value.name;
}

/**
 * Replaces secrets in a JSON text with placeholders.
 * @param url the address that receives the text
 */
export function withoutSecrets(text: string, url: string): string {
  const isSignIn = new URL(url).pathname.includes('/v1/auth/');
  const isSecret = (name: string) => secret.test(name) || (isSignIn && secretAtSignIn.test(name));
  try {
    const replaced = (name: string, value: unknown) => (isSecret(name) && value !== undefined ? '…' : value);
    return JSON.stringify(JSON.parse(text, replaced));
  } catch {
    return text;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
