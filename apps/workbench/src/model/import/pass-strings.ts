/** Reads the table of texts in a `pass.strings` file, which is UTF-8 or UTF-16. */
export function stringsOf(bytes: Uint8Array): Map<string, string> {
  const quoted = quotedTexts(decoded(bytes)).map(unescaped);
  const pairs = quoted.flatMap((text, at) => (at % 2 === 0 ? [[text, quoted[at + 1] ?? text] as const] : []));
  return new Map(pairs);
}

/** Returns the texts in quotation marks, in order: keys and values alternate. Omits comments. */
function quotedTexts(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text.startsWith('/*', at)) at = endOf(text.indexOf('*/', at + 2), text) + 1;
    else if (text[at] === '"') {
      const end = endOfQuoted(text, at + 1);
      found.push(text.slice(at + 1, end));
      at = end;
    }
  }
  return found;
}

function endOfQuoted(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function endOf(found: number, text: string): number {
  return found < 0 ? text.length : found;
}

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // Latin letters in UTF-16 have a zero in every second byte, even without a byte order mark.
  if ((first === 0xff && second === 0xfe) || second === 0) return new TextDecoder('utf-16le').decode(bytes);
  return first === 0 ? new TextDecoder('utf-16be').decode(bytes) : new TextDecoder().decode(bytes);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescaped(text: string): string {
  return text.replace(/\\(?:[uU]([0-9a-fA-F]{4})|([^]))/g, (_, code: string | undefined, sign: string) =>
    code === undefined ? (escapes[sign] ?? sign) : String.fromCharCode(parseInt(code, 16)),
  );
}
