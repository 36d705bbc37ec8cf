/** Matches the beginning of an address whose host has 300 characters or more. DNS limits a host name to 253. */
const longHost = /^[\p{Cc} ]*(?:(?:https?|wss?|ftp|file):[/\\]*|[/\\]{2,})[^/\\?#]{300}/iu;

/**
 * Parses an address. Returns null for a text that is not an address, and for an address whose host is longer than DNS
 * allows: the time to parse a host outside of ASCII grows with the square of its length.
 * @param base the address to which a relative address belongs
 */
export function parsedUrl(text: string, base?: URL): URL | null {
  // An address may contain tabs and line breaks anywhere, which the parser ignores.
  if (longHost.test(text.replace(/[\t\n\r]/g, ''))) return null;
  return URL.canParse(text, base?.href) ? new URL(text, base) : null;
}
