import fc from 'fast-check';
import forge from 'node-forge';
import { der, derSetOf, objectIdentifier, readDer, tags } from './der.js';

const octets = (limits: { maxLength: number }) => fc.uint8Array(limits).map((bytes) => Buffer.from(bytes));

describe('DER', () => {
  it('readDer reads every element that `der` writes, with a length of any size', () => {
    fc.assert(
      fc.property(fc.array(octets({ maxLength: 70_000 }), { maxLength: 4 }), (contents) => {
        const elements = readDer(Buffer.concat(contents.map((content) => der(tags.octetString, content))));
        expect(elements.map(({ content }) => content)).toEqual(contents);
        expect(elements.every(({ tag }) => tag === tags.octetString)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it.each([0, 127, 128, 255, 256, 65_535, 65_536])('`der` encodes a length of %i as node-forge does', (length) => {
    const theirs = forge.asn1.create(
      forge.asn1.Class.UNIVERSAL,
      forge.asn1.Type.OCTETSTRING,
      false,
      'x'.repeat(length),
    );
    const ours = der(tags.octetString, Buffer.alloc(length, 'x'));
    expect(ours.equals(Buffer.from(forge.asn1.toDer(theirs).toHex(), 'hex'))).toBe(true);
  });

  it('objectIdentifier encodes object identifiers as node-forge does', () => {
    const oid = fc
      .tuple(fc.nat(2), fc.nat(39), fc.array(fc.nat(2 ** 31 - 1), { minLength: 1, maxLength: 8 }))
      .map(([first, second, rest]) => [first, second, ...rest].join('.'));
    fc.assert(
      fc.property(oid, (dotted) => {
        const theirs = forge.asn1.oidToDer(dotted).toHex();
        expect(readDer(objectIdentifier(dotted))[0]?.content.toString('hex')).toBe(theirs);
      }),
    );
  });

  it('derSetOf sorts the members by their bytes, whatever the input order', () => {
    fc.assert(
      fc.property(fc.array(octets({ maxLength: 20 })), (contents) => {
        const members = contents.map((content) => der(tags.octetString, content));
        expect(derSetOf(tags.set, members)).toEqual(derSetOf(tags.set, [...members].reverse()));
      }),
    );
  });

  it('readDer throws on truncated input and never reads past its end', () => {
    const whole = der(tags.sequence, der(tags.octetString, Buffer.alloc(300)));
    for (let length = 1; length < whole.length; length += 1) {
      expect(() => readDer(whole.subarray(0, length))).toThrow(/out of range|longer than|outside buffer bounds/);
    }
  });
});
