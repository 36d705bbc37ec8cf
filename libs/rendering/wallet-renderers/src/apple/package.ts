import { hash } from 'node:crypto';
import {
  type ArchiveEntry,
  centralRecord,
  type Content,
  contentOf,
  endRecord,
  localHeader,
  setCentralContent,
  setDirectoryStart,
  setLocalContent,
  unknownContent,
} from './archive.js';
import { manifestEnd, manifestEntry, type ManifestEntry, manifestStart } from './manifest.js';

const PASS_JSON = 'pass.json';
const MANIFEST = 'manifest.json';
const SIGNATURE = 'signature';
const BLANK_SHA1 = '0'.repeat(40);

/** The zip headers of the three files that differ for each pass, without sizes and checksums. */
const headers = {
  pass: localHeader(PASS_JSON, unknownContent),
  manifest: localHeader(MANIFEST, unknownContent),
  signature: localHeader(SIGNATURE, unknownContent),
};
const [passRecord, manifestRecord, signatureRecord] = [
  blankRecord(PASS_JSON),
  blankRecord(MANIFEST),
  blankRecord(SIGNATURE),
];
const ownRecords = Buffer.concat([passRecord, manifestRecord, signatureRecord]);
const manifestRecordAt = passRecord.length;
const signatureRecordAt = manifestRecordAt + manifestRecord.length;

/** A file of a package besides `pass.json`: an image, or a string table in a `.lproj` folder. */
export interface PackageFile {
  /** The path in the package: printable ASCII, with `/` between folders. */
  readonly name: string;
  readonly data: Uint8Array;
}

interface CompiledFile extends ManifestEntry, ArchiveEntry {}

/** Files with their zip headers, prepared once for all packages that contain them. */
export interface CompiledFiles {
  /** Headers and data of all files, one after the other. */
  readonly bytes: Buffer;
  /** The files; `offset` counts from the start of `bytes`. */
  readonly files: readonly CompiledFile[];
}

/**
 * Prepares files once for any number of packages: copies and hashes them, and builds their zip headers. The order of
 * `files` does not matter.
 * @throws RangeError for an invalid or repeated name
 */
export function compileFiles(files: readonly PackageFile[]): CompiledFiles {
  checkNames(files.map(({ name }) => name));
  let offset = 0;
  const compiled: CompiledFile[] = [];
  const bytes: Uint8Array[] = [];
  for (const { name, data } of files.toSorted(byName)) {
    const content = contentOf(data);
    const header = localHeader(name, content);
    compiled.push({ ...manifestEntry(name, data), ...content, offset });
    bytes.push(header, data);
    offset += header.length + data.length;
  }
  return { bytes: Buffer.concat(bytes), files: compiled };
}

/**
 * Compiles the files that the packages of one template revision share. @throws RangeError in the same cases as
 * `compileFiles`
 */
export function compilePackage(files: readonly PackageFile[]): CompiledPackage {
  return new CompiledPackage([compileFiles(files)]);
}

/**
 * Builds the packages of passes that share their files. Shared files are neither copied nor hashed for each pass, so
 * the cost of a package does not depend on the size of its images.
 * @see https://developer.apple.com/documentation/walletpasses/building-a-pass
 */
export class CompiledPackage {
  /** The bytes of `sets` in their order. Every package starts with these buffers. */
  readonly heads: readonly Buffer[];
  private readonly headsSize: number;
  /** `manifest.json` after its header, with gaps for its CRC and for the hash of `pass.json`. */
  private readonly manifestFile: Buffer;
  /**
   * The whole directory of the archive, with gaps for the values that differ for each pass, in the last three records
   * and in the end record.
   */
  private readonly directory: Buffer;
  private readonly ownRecordsAt: number;

  /** @throws RangeError if two sets contain a file of the same name */
  constructor(private readonly sets: readonly CompiledFiles[]) {
    let start = 0;
    const files = sets.flatMap((set) => {
      const from = start;
      start += set.bytes.length;
      return set.files.map((file) => ({ ...file, offset: from + file.offset }));
    });
    checkRepeats(files.map(({ name }) => name));
    files.sort(byName);
    this.heads = sets.map(({ bytes }) => bytes);
    this.headsSize = start;
    const manifest = Buffer.from(manifestStart(files) + BLANK_SHA1 + manifestEnd, 'latin1');
    this.manifestFile = Buffer.concat([headers.manifest, manifest]);
    const records = Buffer.concat(files.map(centralRecord));
    const end = endRecord(files.length + 3, records.length + ownRecords.length);
    this.directory = Buffer.concat([records, ownRecords, end]);
    this.ownRecordsAt = records.length;
  }

  /**
   * Returns a copy of this layout with additional files, such as a pass's own thumbnail. Add all sets in one call,
   * because each call builds the whole directory again. Does not copy the contents of files.
   */
  with(...added: readonly CompiledFiles[]): CompiledPackage {
    return new CompiledPackage([...this.sets, ...added]);
  }

  /** Starts the package of one pass. @param passJson the content of `pass.json` */
  draft(passJson: string): PackageDraft {
    const passAt = headers.pass.length;
    const manifestAt = passAt + Buffer.byteLength(passJson);
    const body = Buffer.allocUnsafe(manifestAt + this.manifestFile.length);
    body.set(headers.pass);
    body.write(passJson, passAt, 'utf8');
    body.set(this.manifestFile, manifestAt);
    const passBytes = body.subarray(passAt, manifestAt);
    const manifest = body.subarray(manifestAt + headers.manifest.length);
    manifest.write(hash('sha1', passBytes), manifest.length - manifestEnd.length - BLANK_SHA1.length, 'latin1');
    const contents = { pass: contentOf(passBytes), manifest: contentOf(manifest) };
    setLocalContent(body, 0, contents.pass);
    setLocalContent(body, manifestAt, contents.manifest);
    return {
      manifest,
      finish: (signature) => [...this.heads, body, this.tail(contents, manifestAt, body.length, signature)],
    };
  }

  /** Returns the signature and the directory. */
  private tail(
    { pass, manifest }: { readonly pass: Content; readonly manifest: Content },
    manifestAt: number,
    bodySize: number,
    signatureBytes: Uint8Array,
  ): Buffer {
    const signature = contentOf(signatureBytes);
    const signatureAt = this.headsSize + bodySize;
    const directoryAt = headers.signature.length + signature.size;
    const tail = Buffer.allocUnsafe(directoryAt + this.directory.length);
    tail.set(headers.signature);
    setLocalContent(tail, 0, signature);
    tail.set(signatureBytes, headers.signature.length);
    tail.set(this.directory, directoryAt);
    const records = directoryAt + this.ownRecordsAt;
    setCentralContent(tail, records, pass, this.headsSize);
    setCentralContent(tail, records + manifestRecordAt, manifest, this.headsSize + manifestAt);
    setCentralContent(tail, records + signatureRecordAt, signature, signatureAt);
    setDirectoryStart(tail, signatureAt + directoryAt);
    return tail;
  }
}

/** A package without its signature. */
export interface PackageDraft {
  /** The content of `manifest.json`, which must be signed. */
  readonly manifest: Buffer;
  /**
   * Completes the package.
   * @param signature the detached signature of `manifest`, in DER
   * @returns the package as a list of buffers to send one after the other. Never modify these buffers, because packages
   * share them
   */
  finish(signature: Uint8Array): Buffer[];
}

function blankRecord(name: string): Buffer {
  return centralRecord({ name, ...unknownContent, offset: 0 });
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function checkNames(names: readonly string[]): void {
  for (const name of names) {
    const segments = name.split('/');
    // Allow only printable ASCII without backslash and colon, which some systems interpret as parts of a path.
    if (!/^[ -~]+$/.test(name) || /[\\:]/.test(name) || segments.some((segment) => ['', '.', '..'].includes(segment))) {
      throw new RangeError(
        `"${name}" cannot be a file of a package: names are printable ASCII, with / between folders and no "..".`,
      );
    }
  }
  checkRepeats(names);
}

function checkRepeats(names: readonly string[]): void {
  const seen = new Set([PASS_JSON, MANIFEST, SIGNATURE]);
  for (const name of names) {
    if (seen.has(name)) throw new RangeError(`A package holds only one "${name}".`);
    seen.add(name);
  }
}
