import { crc32 } from 'node:zlib';
import { onceInProcess } from './once-in-process.js';

interface Drawn {
  readonly data: Buffer;
  readonly info: { readonly format?: string };
}

interface Kept extends Drawn {
  readonly checksum: string;
}

/** The part of sharp's class that is used here. */
export interface DrawingClass {
  readonly prototype: { toBuffer(this: object, ...args: unknown[]): unknown };
}

/** The pixels of a large sample image among them. */
const LARGEST_KEPT_BYTES = 2 ** 23;
const MOST_KEPT_BYTES = 2 ** 27;
const remembering = Symbol.for('passwright.pictures-drawn-once');

interface Remembering {
  [remembering]?: true;
}

/**
 * Lets this spec file draw each picture once per process: the same pixels, resized and encoded with the same options,
 * are drawn by the first file that needs them. For specs that save templates and say nothing about drawing; what tests
 * drawing itself does without. @param sharp the class as the code under test loads it
 */
export function drawPicturesOnce(sharp: DrawingClass): void {
  // Ends with the spec file, as do its globals; the class is the worker's.
  (globalThis as Remembering)[remembering] = true;
  const prototype = sharp.prototype as DrawingClass['prototype'] & Remembering;
  if (prototype[remembering]) return;
  prototype[remembering] = true;
  const draw = prototype.toBuffer;
  prototype.toBuffer = function (...args) {
    const [options] = args as [{ resolveWithObject?: boolean } | undefined];
    const isWanted = (globalThis as Remembering)[remembering] === true;
    // Anything else is not how files of templates are made.
    if (!isWanted || args.length !== 1 || options?.resolveWithObject !== true) return draw.apply(this, args);
    return drawn(keyOf(this as { options: object }), () => draw.apply(this, args) as Promise<Drawn>);
  };
}

async function drawn(key: string, draw: () => Promise<Drawn>): Promise<Drawn> {
  const kept = onceInProcess('pictures', () => ({ pictures: new Map<string, Kept>(), bytes: 0 }));
  const known = kept.pictures.get(key);
  const { data, info, checksum } = known ?? { ...(await draw()), checksum: undefined };
  if (!known && data.length <= LARGEST_KEPT_BYTES && kept.bytes + data.length <= MOST_KEPT_BYTES) {
    kept.pictures.set(key, { data: Buffer.from(data), info: { ...info }, checksum: digest(data) });
    kept.bytes += data.length;
  }
  // Its own copy: nobody can change what the next one gets.
  const copy = Buffer.from(data);
  if (checksum !== undefined && info.format === 'raw') checksumsOfPixels().set(copy, checksum);
  return { data: copy, info: { ...info } };
}

/** All of sharp's options, the source among them. */
function keyOf({ options }: { options: object }): string {
  return JSON.stringify(plain(options));
}

/** Of pixels as they were drawn, megabytes that other pictures are made of at once: nothing changes these in between. */
const checksumsOfPixels = () => onceInProcess('checksums of pixels', () => new WeakMap<object, string>());

/** With digests for bytes, of which JSON makes long lists of numbers. */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return checksumsOfPixels().get(value) ?? digest(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** A checksum: these are a few pictures of ours, and megabytes for each question. */
function digest({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return `${byteLength} ${crc32(new Uint8Array(buffer, byteOffset, byteLength))}`;
}
