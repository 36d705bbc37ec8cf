import { crc32 } from 'node:zlib';
import { onceInProcess } from './once-in-process.js';

interface Drawn {
  readonly data: Buffer;
  readonly info: { readonly format?: string };
}

interface Stored extends Drawn {
  readonly checksum: string;
}

/** The part of sharp's class that this module uses. */
export interface DrawingClass {
  readonly prototype: { toBuffer(this: object, ...args: unknown[]): unknown };
}

/** The maximum size in bytes of a cached image. A large sample image fits. */
const LARGEST_STORED_BYTES = 2 ** 23;
const MOST_STORED_BYTES = 2 ** 27;
const remembering = Symbol.for('passwright.pictures-drawn-once');

interface Remembering {
  [remembering]?: true;
}

/**
 * Makes sharp draw each image only once per process, with a cache by pixels and options. Use it in specs that save
 * templates but do not test drawing.
 * @param sharp the class that the code under test has loaded
 */
export function drawImagesOnce(sharp: DrawingClass): void {
  // Set a flag in the globals, which are removed after the spec file, while the changed class remains.
  (globalThis as Remembering)[remembering] = true;
  const prototype = sharp.prototype as DrawingClass['prototype'] & Remembering;
  if (prototype[remembering]) return;
  prototype[remembering] = true;
  const draw = prototype.toBuffer;
  prototype.toBuffer = function (...args) {
    const [options] = args as [{ resolveWithObject?: boolean } | undefined];
    const isWanted = (globalThis as Remembering)[remembering] === true;
    // Cache only calls with exactly this option, because only these draw the images of templates.
    if (!isWanted || args.length !== 1 || options?.resolveWithObject !== true) return draw.apply(this, args);
    return drawn(keyOf(this as { options: object }), () => draw.apply(this, args) as Promise<Drawn>);
  };
}

async function drawn(key: string, draw: () => Promise<Drawn>): Promise<Drawn> {
  const stored = onceInProcess('pictures', () => ({ pictures: new Map<string, Stored>(), bytes: 0 }));
  const known = stored.pictures.get(key);
  const { data, info, checksum } = known ?? { ...(await draw()), checksum: undefined };
  if (!known && data.length <= LARGEST_STORED_BYTES && stored.bytes + data.length <= MOST_STORED_BYTES) {
    stored.pictures.set(key, { data: Buffer.from(data), info: { ...info }, checksum: digest(data) });
    stored.bytes += data.length;
  }
  // Return a copy, so that callers cannot change the cache.
  const copy = Buffer.from(data);
  if (checksum !== undefined && info.format === 'raw') checksumsOfPixels().set(copy, checksum);
  return { data: copy, info: { ...info } };
}

/** Builds a key from all of sharp's options, including the source. */
function keyOf({ options }: { options: object }): string {
  return JSON.stringify(plain(options));
}

/** The checksums of drawn pixels. Several images are made from the same pixels, which never change. */
const checksumsOfPixels = () => onceInProcess('checksums of pixels', () => new WeakMap<object, string>());

/** Replaces bytes with a checksum, because their JSON would be very long. */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return checksumsOfPixels().get(value) ?? digest(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** Returns a checksum that distinguishes a few known images. */
function digest({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return `${byteLength} ${crc32(new Uint8Array(buffer, byteOffset, byteLength))}`;
}
