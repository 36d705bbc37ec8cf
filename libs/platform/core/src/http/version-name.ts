let incarnation = '';

/**
 * Sets the database incarnation of this process. After a restore, versions restart at a lower number, so the same
 * number could stand for different content.
 */
export function nameVersionsOf(current: string): void {
  incarnation = current;
}

/** Returns a suffix for entity tags and cache keys that contain a version number; empty in the first incarnation. */
export function versionSuffix(): string {
  return incarnation === '' ? '' : `-${incarnation}`;
}
