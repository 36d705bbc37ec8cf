/** The universal tags that this package writes or reads (ITU-T X.690 §8). */
export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[0]` with a primitive value, as in AuthorityKeyIdentifier and encrypted content. */
  keyIdentifier: 0x80,
  context0: 0xa0,
  context3: 0xa3,
} as const;

/** Encodes a DER element: tag, definite length, contents. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOctets(content.length), content]);
}

/** Encodes a SET OF in DER, with members sorted by their encoded bytes. */
export function derSetOf(tag: number, members: readonly Buffer[]): Buffer {
  return der(tag, ...[...members].sort((a, b) => Buffer.compare(a, b)));
}

/** Encodes an OBJECT IDENTIFIER from its dotted form. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(tags.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** An element in DER bytes; `bytes` is the whole element, `content` the part that its length covers. */
export interface DerElement {
  readonly tag: number;
  readonly bytes: Buffer;
  readonly content: Buffer;
}

/** Reads consecutive elements. @throws RangeError when a length exceeds `bytes` */
export function readDer(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes.readUInt8(at + 1);
    const lengthSize = short < 0x80 ? 0 : short & 0x7f;
    const length = lengthSize === 0 ? short : bytes.readUIntBE(at + 2, lengthSize);
    const start = at + 2 + lengthSize;
    const end = start + length;
    if (end > bytes.length) throw new RangeError('DER element is longer than its container.');
    elements.push({ tag: bytes.readUInt8(at), bytes: bytes.subarray(at, end), content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = length.toString(16);
  const octets = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  return Buffer.concat([Buffer.from([0x80 | octets.length]), octets]);
}

function base128(arc: number): number[] {
  const octets = [arc & 0x7f];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) octets.unshift(0x80 | (rest & 0x7f));
  return octets;
}
