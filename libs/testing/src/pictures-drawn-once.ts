import { createHash } from 'node:crypto';
import { onceInProcess } from './once-in-process.js';

interface Drawn {
  readonly data: Buffer;
  readonly info: object;
}

/** The part of sharp's class that is used here. */
export interface DrawingClass {
  readonly prototype: { toBuffer(this: object, ...args: unknown[]): unknown };
}

const LARGEST_KEPT_BYTES = 2 ** 18;
const MOST_KEPT = 500;
const remembering = Symbol.for('passwright.pictures-drawn-once');

/**
 * Lets this spec file draw each picture once per process: the same pixels, resized and encoded with the same options,
 * are drawn by the first file that needs them. For specs that save templates and say nothing about drawing; what tests
 * drawing itself does without. @param sharp the class as the code under test loads it
 */
export function drawPicturesOnce(sharp: DrawingClass): void {
  const prototype = sharp.prototype as DrawingClass['prototype'] & { [remembering]?: true };
  if (prototype[remembering]) return;
  prototype[remembering] = true;
  const draw = prototype.toBuffer;
  prototype.toBuffer = function (...args) {
    const [options] = args as [{ resolveWithObject?: boolean } | undefined];
    // Anything else is not how files of templates are made.
    if (args.length !== 1 || options?.resolveWithObject !== true) return draw.apply(this, args);
    return drawn(keyOf(this as { options: object }), () => draw.apply(this, args) as Promise<Drawn>);
  };
}

async function drawn(key: string, draw: () => Promise<Drawn>): Promise<Drawn> {
  const pictures = onceInProcess('pictures', () => new Map<string, Drawn>());
  const known = pictures.get(key);
  const { data, info } = known ?? (await draw());
  if (!known && pictures.size < MOST_KEPT && data.length <= LARGEST_KEPT_BYTES)
    pictures.set(key, { data: Buffer.from(data), info: { ...info } });
  // Its own copy: nobody can change what the next one gets.
  return { data: Buffer.from(data), info: { ...info } };
}

/** All of sharp's options, the source among them. */
function keyOf({ options }: { options: object }): string {
  // From its holder: `Buffer.toJSON` comes before a replacer, and is slow.
  return JSON.stringify(options, function (this: Record<string, unknown>, name, json: unknown) {
    const value = this[name];
    return ArrayBuffer.isView(value) ? digest(value) : json;
  });
}

function digest({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return createHash('sha1')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex');
}
