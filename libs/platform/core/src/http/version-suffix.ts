let incarnation = '';

/**
 * Sets the id of the database's incarnation, which changes with a restore. After a restore, an old version number may
 * stand for different content.
 */
export function nameVersionsOf(current: string): void {
  incarnation = current;
}

/** Returns a suffix for entity tags and cache keys that contain a version number; empty before the first restore. */
export function versionSuffix(): string {
  return incarnation === '' ? '' : `-${incarnation}`;
}
