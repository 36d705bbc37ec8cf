import { crc32 } from 'node:zlib';

/** The size and checksum of a file in the archive. */
export interface Content {
  readonly size: number;
  readonly crc32: number;
}

/**
 * A file in a zip archive, stored without compression. `offset` is the start of its header, in bytes from the start of
 * the archive.
 */
export interface ArchiveEntry extends Content {
  /** The path in the archive, in ASCII. */
  readonly name: string;
  readonly offset: number;
}

const localHeaderSize = 30;
const centralRecordSize = 46;
const endRecordSize = 22;

/**
 * The date 1980-01-01, the first that a zip can contain. It is constant, so that equal content always gives equal
 * bytes. Zero would be invalid: month 0, day 0.
 */
const dosDate = 0x0021;
/**
 * Version 2.0 of the zip format, the first with folders in names. `versionMadeBy` says that the archive comes from
 * Unix, so that the mode below applies.
 */
const versionNeeded = 20;
const versionMadeBy = (3 << 8) | versionNeeded;
/** The mode of a regular file, rw-r--r--. */
const externalAttributes = (0o100644 << 16) >>> 0;
const mostEntries = 0xffff;

/**
 * The placeholder for a size and checksum that are not known yet. `setLocalContent` and `setCentralContent` replace it.
 */
export const unknownContent: Content = { size: 0, crc32: 0 };

/** Returns the size and checksum of these bytes. */
export function contentOf(data: Uint8Array): Content {
  return { size: data.length, crc32: crc32(data) };
}

/**
 * Encodes the header before a file's data. It contains the size and the CRC, so that streaming readers need no
 * descriptor after the data.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT §4.3.7
 */
export function localHeader(name: string, content: Content): Buffer {
  const header = Buffer.alloc(localHeaderSize + name.length);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(versionNeeded, 4);
  header.writeUInt16LE(dosDate, 12);
  header.writeUInt16LE(name.length, 26);
  header.write(name, localHeaderSize, 'latin1');
  setLocalContent(header, 0, content);
  return header;
}

/** Writes size and CRC into the local header at `at`. */
export function setLocalContent(target: Buffer, at: number, { size, crc32 }: Content): void {
  target.writeUInt32LE(crc32, at + 14);
  target.writeUInt32LE(size, at + 18);
  target.writeUInt32LE(size, at + 22);
}

/** Encodes a file's record in the archive's directory (APPNOTE §4.3.12). */
export function centralRecord(entry: ArchiveEntry): Buffer {
  const record = Buffer.alloc(centralRecordSize + entry.name.length);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(versionMadeBy, 4);
  record.writeUInt16LE(versionNeeded, 6);
  record.writeUInt16LE(dosDate, 14);
  record.writeUInt16LE(entry.name.length, 28);
  record.writeUInt32LE(externalAttributes, 38);
  record.write(entry.name, centralRecordSize, 'latin1');
  setCentralContent(record, 0, entry, entry.offset);
  return record;
}

/** Writes size, CRC and offset into the directory record at `at`. */
export function setCentralContent(target: Buffer, at: number, { size, crc32 }: Content, offset: number): void {
  target.writeUInt32LE(crc32, at + 16);
  target.writeUInt32LE(size, at + 20);
  target.writeUInt32LE(size, at + 24);
  target.writeUInt32LE(offset, at + 42);
}

/**
 * Encodes the record that ends an archive of `count` files whose directory has `size` bytes (APPNOTE §4.3.16).
 * @throws RangeError above 65,535 files, because some wallets cannot read Zip64
 */
export function endRecord(count: number, size: number): Buffer {
  if (count > mostEntries) throw new RangeError(`An archive holds at most ${mostEntries} files, not ${count}.`);
  const record = Buffer.alloc(endRecordSize);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(size, 12);
  return record;
}

/**
 * Writes the directory's start into the end record, which is the last part of `directory`. @throws RangeError above 4
 * GiB
 */
export function setDirectoryStart(directory: Buffer, start: number): void {
  directory.writeUInt32LE(start, directory.length - endRecordSize + 16);
}
