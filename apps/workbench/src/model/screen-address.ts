/** Returns the address of a screen. */
export function addressOf(...segments: readonly string[]): string {
  return `#/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`;
}

/** Returns the parts of an address. A part that cannot be decoded stays unchanged. */
export function segmentsOf(hash: string): string[] {
  return hash
    .replace(/^#?\/?/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
