let incarnation = '';

/**
 * Sets the incarnation of the database for this process. After a restore, versions count from a lower number again, so
 * the same number would stand for different content.
 */
export function nameVersionsOf(current: string): void {
  incarnation = current;
}

/** Returns a suffix for entity tags and cache keys of counted versions; empty in the first incarnation. */
export function versionSuffix(): string {
  return incarnation === '' ? '' : `-${incarnation}`;
}
