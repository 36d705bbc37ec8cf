import { crc32, inflateRawSync } from 'node:zlib';
import { fromBuffer, type Entry } from 'yauzl';

/** Size limits for packages from unknown sources, far above real packages. Apple publishes no limits. */
export interface ArchiveLimits {
  readonly maxArchiveBytes: number;
  readonly maxUnpackedBytes: number;
  readonly maxFiles: number;
}

/** The files of an archive by path, and the errors of the archive itself. */
export interface ArchiveContent {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly problems: readonly string[];
}

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_SIZE = 30;
const END_RECORD = Buffer.from('PK\x05\x06', 'latin1');
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_SIZE = 20;
const STORED = 0;
const DEFLATED = 8;
const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE = 0o170000;

/**
 * Reads a zip archive as strictly as a phone. Limits sizes, requires unique names, and rejects encryption. Header,
 * directory and bytes of each file must agree. Stored files are views of `bytes`. Never throws.
 */
export async function readArchive(bytes: Buffer, limits: ArchiveLimits): Promise<ArchiveContent> {
  const rejected = (problem: string): ArchiveContent => ({ files: new Map(), problems: [`zip: ${problem}`] });
  if (bytes.length > limits.maxArchiveBytes) {
    return rejected(`it has ${bytes.length} bytes, more than the ${limits.maxArchiveBytes} allowed`);
  }
  const end = bytes.lastIndexOf(END_RECORD);
  if (end < 0 || bytes.readUInt32LE(0) !== LOCAL_HEADER) return rejected('the bytes are no zip archive');
  if (end >= ZIP64_LOCATOR_SIZE && bytes.readUInt32LE(end - ZIP64_LOCATOR_SIZE) === ZIP64_LOCATOR) {
    return rejected('it is a Zip64 archive');
  }
  try {
    const entries = await entriesOf(bytes, limits.maxFiles);
    return readEntries(bytes, entries, limits);
  } catch (error) {
    return rejected(`it cannot be read: ${messageOf(error)}`);
  }
}

function entriesOf(bytes: Buffer, maxFiles: number): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    // Check all names and sizes here, because the reader's own checks stop at the first error.
    fromBuffer(bytes, { lazyEntries: true, decodeStrings: false, validateEntrySizes: false }, (error, zip) => {
      if (error) return reject(error);
      const entries: Entry[] = [];
      zip.on('error', reject).on('end', () => resolve(entries));
      zip.on('entry', (entry: Entry) => {
        if (entries.push(entry) > maxFiles) return reject(new Error(`it has more than ${maxFiles} files`));
        zip.readEntry();
      });
      zip.readEntry();
    });
  });
}

function readEntries(bytes: Buffer, entries: readonly Entry[], limits: ArchiveLimits): ArchiveContent {
  const files = new Map<string, Buffer>();
  const problems: string[] = [];
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (unpackedBytes > limits.maxUnpackedBytes) {
    return {
      files,
      problems: [`zip: it unpacks to ${unpackedBytes} bytes, more than the ${limits.maxUnpackedBytes} allowed`],
    };
  }
  for (const entry of entries) {
    const name = entry.fileNameRaw.toString('utf8');
    const problem = nameProblem(name, entry) ?? (files.has(name) ? 'is in the archive twice' : undefined);
    if (problem) problems.push(`zip: "${name}" ${problem}`);
    // Skip the entry of a folder, which has no content.
    if (problem || name.endsWith('/')) continue;
    try {
      files.set(name, dataOf(bytes, entry));
    } catch (error) {
      problems.push(`zip: "${name}" ${messageOf(error)}`);
    }
  }
  return { files, problems };
}

function nameProblem(name: string, entry: Entry): string | undefined {
  if (!/^[ -~]+$/.test(name)) return 'has a name that is not printable ASCII';
  if (/^\/|^[A-Za-z]:/.test(name)) return 'has an absolute name';
  if (name.includes('\\')) return 'has a backslash in its name';
  const segments = name.replace(/\/$/, '').split('/');
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) return 'has a name with empty, "." or ".." parts';
  if (segments.length > 2 || (segments.length === 2 && !segments[0]?.endsWith('.lproj'))) {
    return 'is not at the root of the package: only .lproj folders are allowed';
  }
  const madeByUnix = entry.versionMadeBy >>> 8 === 3;
  if (madeByUnix && ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK) return 'is a symbolic link';
  return undefined;
}

/**
 * Returns a file's bytes.
 * @throws Error whose message continues a sentence after the file's name
 */
function dataOf(bytes: Buffer, entry: Entry): Buffer {
  if (entry.isEncrypted()) throw new Error('is encrypted');
  const compressed = compressedData(bytes, entry);
  const data = unpacked(compressed, entry);
  if (data.length !== entry.uncompressedSize) throw new Error('has another size than the archive says');
  if (crc32(data) !== entry.crc32) throw new Error('has another CRC than the archive says');
  return data;
}

/** Returns the compressed bytes. Header and directory must agree, because readers may trust either. */
function compressedData(bytes: Buffer, entry: Entry): Buffer {
  const at = entry.relativeOffsetOfLocalHeader;
  if (at + LOCAL_HEADER_SIZE > bytes.length || bytes.readUInt32LE(at) !== LOCAL_HEADER)
    throw new Error('has no header');
  const flags = bytes.readUInt16LE(at + 6);
  const nameEnd = at + LOCAL_HEADER_SIZE + bytes.readUInt16LE(at + 26);
  const start = nameEnd + bytes.readUInt16LE(at + 28);
  if (start + entry.compressedSize > bytes.length) throw new Error('is cut off');
  const name = bytes.subarray(at + LOCAL_HEADER_SIZE, nameEnd);
  // The third bit means that sizes and CRC follow the data.
  const sizesAgree =
    (flags & 8) !== 0 ||
    (bytes.readUInt32LE(at + 14) === entry.crc32 &&
      bytes.readUInt32LE(at + 18) === entry.compressedSize &&
      bytes.readUInt32LE(at + 22) === entry.uncompressedSize);
  const agrees =
    sizesAgree &&
    flags === entry.generalPurposeBitFlag &&
    bytes.readUInt16LE(at + 8) === entry.compressionMethod &&
    name.equals(entry.fileNameRaw);
  if (!agrees) throw new Error("is described differently by its header and by the archive's directory");
  return bytes.subarray(start, start + entry.compressedSize);
}

function unpacked(compressed: Buffer, { compressionMethod, uncompressedSize }: Entry): Buffer {
  if (compressionMethod === STORED) return compressed;
  if (compressionMethod !== DEFLATED)
    throw new Error(`uses compression method ${compressionMethod}; stored and deflated are read`);
  try {
    return inflateRawSync(compressed, { maxOutputLength: Math.max(uncompressedSize, 1) });
  } catch {
    throw new Error('cannot be unpacked');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
