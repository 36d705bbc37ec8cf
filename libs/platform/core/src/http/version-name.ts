let incarnation = '';

/**
 * Sets the incarnation of the database. After a restore from a backup, version numbers restart at a lower number, so
 * the same number may stand for different content.
 */
export function nameVersionsOf(current: string): void {
  incarnation = current;
}

/** Returns a suffix for entity tags and cache keys that contain a version number; empty in the first incarnation. */
export function versionSuffix(): string {
  return incarnation === '' ? '' : `-${incarnation}`;
}
