/** The number of characters of a host from which an address is not parsed. DNS limits a host name to 253. */
const tooLong = 300;

/** Matches the beginning of an address up to its path, and captures its host with the user before it. */
const authority = /^[\p{Cc} ]*(?:(?:https?|wss?|ftp|file):[/\\]*|[/\\]{2,})([^/\\?#]*)/iu;

/**
 * Parses an address. Returns null for a text that is not an address, and for an address whose host is longer than DNS
 * allows: the time to parse a host outside of ASCII grows with the square of its length.
 * @param base the address to which a relative address belongs
 */
export function parsedUrl(text: string, base?: URL): URL | null {
  // An address may contain tabs and line breaks anywhere, which the parser ignores.
  const [, userAndHost = ''] = authority.exec(text.replace(/[\t\n\r]/g, '')) ?? [];
  const host = userAndHost.slice(userAndHost.lastIndexOf('@') + 1);
  if (host.replace(/%[\da-f]{2}/gi, '-').length >= tooLong) return null;
  return URL.canParse(text, base?.href) ? new URL(text, base) : null;
}
