/** The parsed value, or the reason why the bytes are not JSON. */
export interface ParsedJson {
  readonly value?: unknown;
  readonly problem?: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses JSON in UTF-8. Rejects invalid UTF-8 and a byte order mark. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  try {
    const text = utf8.decode(bytes);
    if (text.startsWith('\ufeff')) return { problem: 'it begins with a byte order mark' };
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof SyntaxError ? `it is no JSON: ${error.message}` : 'it is not UTF-8' };
  }
}

/** Returns true for a JSON object, but not for null and lists. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
