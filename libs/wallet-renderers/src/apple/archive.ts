import { crc32 } from 'node:zlib';

/** A stored (uncompressed) file of a zip archive, at `offset` bytes from the archive's start. */
export interface ArchiveEntry {
  /** ASCII. */
  readonly name: string;
  readonly size: number;
  readonly crc32: number;
  readonly offset: number;
}

const localHeaderSize = 30;
const centralRecordSize = 46;

/** The bytes of the end record. */
export const endRecordSize = 22;

/** 1980-01-01, the first date a zip can hold: the same content must give the same bytes. Zero would be month 0, day 0. */
const dosDate = 0x0021;
/** Version 2.0 of the format, the first with folders in names; as made on unix, so that the mode below counts. */
const versionNeeded = 20;
const versionMadeBy = (3 << 8) | versionNeeded;
/** A regular file, rw-r--r--. */
const externalAttributes = (0o100644 << 16) >>> 0;
const mostEntries = 0xffff;
const mostBytes = 0xffffffff;

/** What the archive's directory has to know of a file. */
export function archiveEntry(name: string, data: Uint8Array, offset: number): ArchiveEntry {
  return { name, size: data.length, crc32: crc32(data), offset };
}

/** The bytes a file of `size` bytes takes before the directory: header and data. */
export function storedSize(name: string, size: number): number {
  return localHeaderSize + name.length + size;
}

/** The bytes a file takes in the directory. */
export function directorySize(name: string): number {
  return centralRecordSize + name.length;
}

/**
 * Writes what precedes a file's data, sizes and CRC included: readers that stream need no descriptor behind the data.
 * @returns where the data goes
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT §4.3.7
 */
export function writeLocalHeader(target: Buffer, at: number, entry: ArchiveEntry): number {
  target.writeUInt32LE(0x04034b50, at);
  target.writeUInt16LE(versionNeeded, at + 4);
  // Flags, method (stored) and time are zero.
  target.writeUInt32LE(0, at + 6);
  target.writeUInt16LE(0, at + 10);
  target.writeUInt16LE(dosDate, at + 12);
  target.writeUInt32LE(entry.crc32, at + 14);
  target.writeUInt32LE(entry.size, at + 18);
  target.writeUInt32LE(entry.size, at + 22);
  target.writeUInt16LE(entry.name.length, at + 26);
  target.writeUInt16LE(0, at + 28);
  target.write(entry.name, at + localHeaderSize, 'latin1');
  return at + localHeaderSize + entry.name.length;
}

/** Writes a file's record in the directory (APPNOTE §4.3.12). @returns where the next one goes */
export function writeCentralRecord(target: Buffer, at: number, entry: ArchiveEntry): number {
  target.writeUInt32LE(0x02014b50, at);
  target.writeUInt16LE(versionMadeBy, at + 4);
  target.writeUInt16LE(versionNeeded, at + 6);
  target.writeUInt32LE(0, at + 8);
  target.writeUInt16LE(0, at + 12);
  target.writeUInt16LE(dosDate, at + 14);
  target.writeUInt32LE(entry.crc32, at + 16);
  target.writeUInt32LE(entry.size, at + 20);
  target.writeUInt32LE(entry.size, at + 24);
  target.writeUInt16LE(entry.name.length, at + 28);
  // No extra field, no comment, first disk, binary.
  target.writeUInt32LE(0, at + 30);
  target.writeUInt32LE(0, at + 34);
  target.writeUInt32LE(externalAttributes, at + 38);
  target.writeUInt32LE(entry.offset, at + 42);
  target.write(entry.name, at + centralRecordSize, 'latin1');
  return at + centralRecordSize + entry.name.length;
}

/**
 * Writes the record that ends an archive (APPNOTE §4.3.16); its directory of `count` files spans `start` to `end`.
 * @throws RangeError when that is more than 65,535 files or 4 GiB: it would take Zip64, which wallets may not read
 */
export function writeEndRecord(target: Buffer, at: number, count: number, start: number, end: number): void {
  if (count > mostEntries || end > mostBytes) {
    throw new RangeError(`An archive of ${count} files and ${end} bytes is too large for the classic zip format.`);
  }
  target.writeUInt32LE(0x06054b50, at);
  target.writeUInt32LE(0, at + 4);
  target.writeUInt16LE(count, at + 8);
  target.writeUInt16LE(count, at + 10);
  target.writeUInt32LE(end - start, at + 12);
  target.writeUInt32LE(start, at + 16);
  target.writeUInt16LE(0, at + 20);
}
