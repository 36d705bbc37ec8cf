const base64Form = /^([A-Za-z0-9+/_-]+)={0,2}$/;

/** The accepted file formats of a certificate or key, for error messages. */
export const fileForms = 'PEM text, beginning with -----BEGIN, or the file in base64';

/** Decodes base64 or base64url, even on several lines; returns null if the text is neither. */
export function base64Bytes(text: string): Buffer | null {
  const compact = text.replace(/\s/g, '');
  const digits = base64Form.exec(compact)?.[1]?.length ?? 1;
  // One remaining character has fewer bits than a byte, so the text is not base64.
  return digits % 4 === 1 ? null : Buffer.from(compact, 'base64');
}

/**
 * Reads an uploaded file, which is PEM text or any file in base64. Replaces line ends that a shell has written as `\n`.
 * @returns PEM text, or the bytes of a binary file; null if it is neither
 */
export function sentFile(text: string): string | Buffer | null {
  if (text.includes('-----BEGIN ')) return text.replaceAll('\\r', '').replaceAll('\\n', '\n');
  const bytes = base64Bytes(text);
  if (!bytes) return null;
  const inside = bytes.toString('latin1');
  return inside.includes('-----BEGIN ') ? inside.replaceAll('\r\n', '\n') : bytes;
}

/** Converts a DER certificate to PEM text. */
export function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
