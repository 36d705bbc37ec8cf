const base64Form = /^([A-Za-z0-9+/_-]+)={0,2}$/;

/** How a certificate or key may be sent, for those who are told that they sent it otherwise. */
export const fileForms = 'PEM text, beginning with -----BEGIN, or the file in base64';

/** The bytes of a file in base64 (also base64url, also on several lines); null when it is none. */
export function base64Bytes(text: string): Buffer | null {
  const compact = text.replace(/\s/g, '');
  const digits = base64Form.exec(compact)?.[1]?.length ?? 1;
  // A last character alone is less than a byte, padded or not.
  return digits % 4 === 1 ? null : Buffer.from(compact, 'base64');
}

/**
 * A file as people send it: PEM text, or any file in base64, which is the way for binary ones and for those with Windows
 * line ends. Line ends that were written as `\n` by a shell become such.
 * @returns PEM text, or the bytes of a binary file; null when it is neither
 */
export function sentFile(text: string): string | Buffer | null {
  if (text.includes('-----BEGIN ')) return text.replaceAll('\\r', '').replaceAll('\\n', '\n');
  const bytes = base64Bytes(text);
  if (!bytes) return null;
  const inside = bytes.toString('latin1');
  return inside.includes('-----BEGIN ') ? inside.replaceAll('\r\n', '\n') : bytes;
}

/** A DER certificate as PEM text. */
export function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
