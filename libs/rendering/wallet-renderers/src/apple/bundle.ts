import { crc32 } from 'node:zlib';
import { type ArchiveEntry, centralRecord, endRecord, localHeader, setDirectoryStart } from './archive.js';

/** The maximum number of passes in a bundle. Wallet cannot add more at once. */
export const maxBundlePasses = 10;

/** A finished package for a bundle. */
export interface BundledPackage {
  /** The name without extension: ASCII letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  /** The result of `PackageDraft.finish`. */
  readonly parts: readonly Buffer[];
}

/**
 * Builds a `.pkpasses` bundle that contains the packages in the given order, without further compression.
 * @returns a list of buffers to send one after the other; it contains the packages' buffers without copying them
 * @throws RangeError unless there are 1 to 10 packages with distinct names
 * @see https://developer.apple.com/documentation/walletpasses/distributing-and-updating-a-pass
 */
export function bundleOf(packages: readonly BundledPackage[]): Buffer[] {
  const names = packages.map(({ name }) => name);
  if (names.length < 1 || names.length > maxBundlePasses || new Set(names).size !== names.length) {
    throw new RangeError(`A bundle holds 1 to ${maxBundlePasses} packages, each with a name of its own.`);
  }
  const parts: Buffer[] = [];
  const entries: ArchiveEntry[] = [];
  let offset = 0;
  for (const { name, parts: data } of packages) {
    const size = data.reduce((sum, { length }) => sum + length, 0);
    const crc = data.reduce((value, part) => crc32(part, value), 0);
    const entry = { name: `${name}.pkpass`, size, crc32: crc, offset };
    const header = localHeader(entry.name, entry);
    entries.push(entry);
    parts.push(header, ...data);
    offset += header.length + size;
  }
  const records = Buffer.concat(entries.map(centralRecord));
  const directory = Buffer.concat([records, endRecord(entries.length, records.length)]);
  setDirectoryStart(directory, offset);
  return [...parts, directory];
}
