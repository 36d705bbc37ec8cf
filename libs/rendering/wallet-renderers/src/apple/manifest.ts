import { hash } from 'node:crypto';

/** A file's entry in `manifest.json`: its path in the package and the SHA-1 of its bytes, lower-case hex. */
export interface ManifestEntry {
  readonly name: string;
  readonly sha1: string;
}

/** The entry of a file with these bytes. */
export function manifestEntry(name: string, data: Uint8Array): ManifestEntry {
  return { name, sha1: hash('sha1', data) };
}

/**
 * `manifest.json` up to the hash of `pass.json`, which `manifestEnd` follows: only that hash differs between the passes
 * of a template. Devices tell by the manifest whether a pass has changed, so equal files must give equal bytes:
 * `entries` come in the order of their names.
 */
export function manifestStart(entries: readonly ManifestEntry[]): string {
  const lines = entries.map(({ name, sha1 }) => `${JSON.stringify(name)}:"${sha1}",`);
  return `{${lines.join('')}"pass.json":"`;
}

/** What follows the hash of `pass.json` in `manifest.json`. */
export const manifestEnd = '"}';
