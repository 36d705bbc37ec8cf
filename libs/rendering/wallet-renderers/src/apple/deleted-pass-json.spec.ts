import { crc32, inflateSync } from 'node:zlib';
import { PKPass } from 'passkit-generator';
import { anAppleContext, renderTypes } from '../render.fixtures.js';
import { deletedPassJson } from './deleted-pass-json.js';
import { neutralIcon } from './neutral-icon.js';

const styleOf = { offer: 'coupon', event: 'eventTicket', generic: 'generic', membership: 'storeCard' } as const;
const deleted = { serialNumber: '4fQz8LwXk2bN0aVtYc7mRd', type: 'offer', issuerName: 'Harbour Hall' } as const;

describe.each(renderTypes)('the tombstone of a pass of type %s', (type) => {
  it('the tombstone of a deleted pass keeps its identity, but is void, grey and without content', () => {
    expect(deletedPassJson({ ...deleted, type }, anAppleContext())).toEqual({
      formatVersion: 1,
      passTypeIdentifier: 'pass.example.passwright',
      teamIdentifier: 'A1B2C3D4E5',
      serialNumber: deleted.serialNumber,
      organizationName: 'Harbour Hall',
      description: 'Harbour Hall',
      logoText: 'Harbour Hall',
      foregroundColor: 'rgb(255, 255, 255)',
      backgroundColor: 'rgb(99, 99, 102)',
      labelColor: 'rgb(255, 255, 255)',
      [styleOf[type]]: { primaryFields: [], secondaryFields: [], auxiliaryFields: [], backFields: [] },
      voided: true,
      webServiceURL: 'https://passes.example.com',
      authenticationToken: 'a-token-of-more-than-16-characters',
    });
  });

  it("passkit-generator's schemas drop no property of a tombstone", () => {
    const text = JSON.stringify(deletedPassJson({ ...deleted, type }, anAppleContext()));
    const { props } = new PKPass({ 'pass.json': Buffer.from(text) }, undefined, undefined);
    const accepted = JSON.parse(JSON.stringify(props)) as Record<string, unknown>;
    expect(accepted).toEqual({ ...JSON.parse(text), [styleOf[type]]: accepted[styleOf[type]] });
  });
});

it('a tombstone has a complete grey PNG icon in every scale', () => {
  const icons = neutralIcon().map(({ name, data }) => {
    const bytes = Buffer.from(data);
    const names: string[] = [];
    let pixels = Buffer.alloc(0);
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
      const content = bytes.subarray(at + 4, at + 8 + bytes.readUInt32BE(at));
      expect(bytes.readUInt32BE(at + content.length + 4)).toBe(crc32(content));
      names.push(content.toString('latin1', 0, 4));
      if (names.at(-1) === 'IDAT') pixels = inflateSync(content.subarray(4));
    }
    expect([bytes.toString('hex', 0, 8), ...names]).toEqual(['89504e470d0a1a0a', 'IHDR', 'IDAT', 'IEND']);
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width, 0x8e)]);
    expect(pixels).toEqual(Buffer.concat(Array<Buffer>(height).fill(row)));
    return [name, width, height];
  });
  expect(icons).toEqual([
    ['icon.png', 38, 38],
    ['icon@2x.png', 76, 76],
    ['icon@3x.png', 114, 114],
  ]);
});
