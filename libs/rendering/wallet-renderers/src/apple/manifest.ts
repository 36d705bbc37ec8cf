import { hash } from 'node:crypto';

/** A file's entry in `manifest.json`: its path in the package and the SHA-1 of its bytes in lower-case hex. */
export interface ManifestEntry {
  readonly name: string;
  readonly sha1: string;
}

/** Returns the entry of a file with these bytes. */
export function manifestEntry(name: string, data: Uint8Array): ManifestEntry {
  return { name, sha1: hash('sha1', data) };
}

/**
 * Returns `manifest.json` up to the hash of `pass.json`, its last entry. The caller appends this hash and
 * `manifestEnd`. The caller must sort `entries` by name, because devices detect changes by the bytes of the manifest.
 */
export function manifestStart(entries: readonly ManifestEntry[]): string {
  const lines = entries.map(({ name, sha1 }) => `${JSON.stringify(name)}:"${sha1}",`);
  return `{${lines.join('')}"pass.json":"`;
}

/** The end of `manifest.json` after the hash of `pass.json`. */
export const manifestEnd = '"}';
