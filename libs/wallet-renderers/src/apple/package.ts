import { hash } from 'node:crypto';
import {
  archiveEntry,
  type ArchiveEntry,
  directorySize,
  endRecordSize,
  storedSize,
  writeCentralRecord,
  writeEndRecord,
  writeLocalHeader,
} from './archive.js';
import { manifestEnd, manifestEntry, type ManifestEntry, manifestStart } from './manifest.js';

const PASS_JSON = 'pass.json';
const MANIFEST = 'manifest.json';
const SIGNATURE = 'signature';
const SHA1_HEX_LENGTH = 40;

/** A file of a package besides `pass.json`: an image, or a string table in a `.lproj` folder. */
export interface PackageFile {
  /** Path in the package: printable ASCII, `/` between folders. */
  readonly name: string;
  readonly data: Uint8Array;
}

interface CompiledFile extends ManifestEntry, ArchiveEntry {}

/** Files laid out as they stand in every package that has them; their bytes are not read again. */
export interface CompiledFiles {
  /** Headers and data of all files, one after the other. */
  readonly bytes: Buffer;
  /** `offset` counts from the start of `bytes`. */
  readonly files: readonly CompiledFile[];
}

/**
 * Copies, hashes and lays out files once, for any number of packages. The order of `files` does not matter.
 * @throws RangeError for a name that is not allowed in a package, or that comes twice
 */
export function compileFiles(files: readonly PackageFile[]): CompiledFiles {
  checkNames(files.map(({ name }) => name));
  const sorted = files.toSorted(byName);
  const bytes = Buffer.alloc(sorted.reduce((size, { name, data }) => size + storedSize(name, data.length), 0));
  let at = 0;
  const compiled = sorted.map(({ name, data }) => {
    const entry = archiveEntry(name, data, at);
    at = writeLocalHeader(bytes, at, entry);
    bytes.set(data, at);
    at += data.length;
    return { ...entry, ...manifestEntry(name, data) };
  });
  return { bytes, files: compiled };
}

/** What the packages of one template revision share, from `compileFiles` of its images. @throws RangeError as it does */
export function compilePackage(files: readonly PackageFile[]): PackageKit {
  return new PackageKit([compileFiles(files)]);
}

/**
 * Builds the packages of passes that share their files. The shared files are neither copied nor hashed for a pass, so
 * a package costs the same whatever its images weigh.
 * @see https://developer.apple.com/documentation/walletpasses/building-a-pass
 */
export class PackageKit {
  /** Those of `sets` in their order: every package begins with these very buffers. */
  readonly heads: readonly Buffer[];
  private readonly files: readonly CompiledFile[];
  private readonly headsSize: number;
  private readonly directory: Buffer;
  private readonly manifestStart: string;

  /** @throws RangeError when two sets have a file of the same name */
  constructor(private readonly sets: readonly CompiledFiles[]) {
    let start = 0;
    const placed = sets.flatMap(({ bytes, files }) => {
      const from = start;
      start += bytes.length;
      return files.map((file) => ({ ...file, offset: from + file.offset }));
    });
    checkNames(placed.map(({ name }) => name));
    this.heads = sets.map(({ bytes }) => bytes);
    this.headsSize = start;
    this.files = placed.sort(byName);
    this.directory = directoryOf(this.files);
    this.manifestStart = manifestStart(this.files);
  }

  /** The same with further files, such as a pass's own thumbnail: a few microseconds, and nothing is copied. */
  with(files: CompiledFiles): PackageKit {
    return new PackageKit([...this.sets, files]);
  }

  /** Begins the package of one pass. @param passJson the content of `pass.json` */
  draft(passJson: string): PackageDraft {
    const size = Buffer.byteLength(passJson);
    const manifestSize = this.manifestStart.length + SHA1_HEX_LENGTH + manifestEnd.length;
    const body = Buffer.allocUnsafe(storedSize(PASS_JSON, size) + storedSize(MANIFEST, manifestSize));
    const passAt = storedSize(PASS_JSON, 0);
    body.write(passJson, passAt, 'utf8');
    const pass = body.subarray(passAt, passAt + size);
    const manifest = body.subarray(body.length - manifestSize);
    manifest.write(this.manifestStart + hash('sha1', pass) + manifestEnd, 'latin1');
    const passFile = archiveEntry(PASS_JSON, pass, this.headsSize);
    const manifestAt = passAt + size;
    const manifestFile = archiveEntry(MANIFEST, manifest, this.headsSize + manifestAt);
    writeLocalHeader(body, 0, passFile);
    writeLocalHeader(body, manifestAt, manifestFile);
    return {
      manifest,
      finish: (signature) => [...this.heads, body, this.tail(body, passFile, manifestFile, signature)],
    };
  }

  /** The signature and the directory. */
  private tail(body: Buffer, pass: ArchiveEntry, manifest: ArchiveEntry, signature: Uint8Array): Buffer {
    const start = this.headsSize + body.length;
    const entries = [pass, manifest, archiveEntry(SIGNATURE, signature, start)] as const;
    const directoryAt = storedSize(SIGNATURE, signature.length);
    const directoryEnd =
      directoryAt + this.directory.length + entries.reduce((size, { name }) => size + directorySize(name), 0);
    const tail = Buffer.allocUnsafe(directoryEnd + endRecordSize);
    tail.set(signature, writeLocalHeader(tail, 0, entries[2]));
    tail.set(this.directory, directoryAt);
    let at = directoryAt + this.directory.length;
    for (const entry of entries) at = writeCentralRecord(tail, at, entry);
    writeEndRecord(tail, at, this.files.length + entries.length, start + directoryAt, start + directoryEnd);
    return tail;
  }
}

/** A package that lacks only its signature. */
export interface PackageDraft {
  /** `manifest.json`, the bytes to sign. */
  readonly manifest: Buffer;
  /**
   * @param signature detached, over `manifest`, DER
   * @returns the package as a list of buffers to send one after the other; the first are `heads` of the kit: never
   * write into them
   */
  finish(signature: Uint8Array): Buffer[];
}

function directoryOf(files: readonly ArchiveEntry[]): Buffer {
  const directory = Buffer.alloc(files.reduce((size, { name }) => size + directorySize(name), 0));
  let at = 0;
  for (const file of files) at = writeCentralRecord(directory, at, file);
  return directory;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function checkNames(names: readonly string[]): void {
  const seen = new Set([PASS_JSON, MANIFEST, SIGNATURE]);
  for (const name of names) {
    const segments = name.split('/');
    // Printable ASCII without the backslash and the colon, which other systems read as parts of a path.
    if (!/^[ -~]+$/.test(name) || /[\\:]/.test(name) || segments.some((segment) => ['', '.', '..'].includes(segment))) {
      throw new RangeError(
        `"${name}" cannot be a file of a package: names are printable ASCII, with / between folders and no "..".`,
      );
    }
    if (seen.has(name)) throw new RangeError(`A package holds only one "${name}".`);
    seen.add(name);
  }
}
