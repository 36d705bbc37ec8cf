import fc from 'fast-check';
import yauzl from 'yauzl';
import { bundleOf } from './bundle.js';

async function filesOf(archive: Buffer): Promise<[string, Buffer][]> {
  const zip = await yauzl.fromBufferPromise(archive, { strictFileNames: true, validateEntrySizes: true });
  const files: [string, Buffer][] = [];
  for await (const entry of zip.eachEntry()) {
    expect(entry.compressionMethod).toBe(0);
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    files.push([entry.fileName, Buffer.concat(chunks)]);
  }
  return files;
}

const packages = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
    parts: fc.array(fc.uint8Array({ maxLength: 200 }).map(Buffer.from), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 10, selector: ({ name }) => name },
);

it('a bundle stores the packages in the given order, unchanged and uncompressed', async () => {
  await fc.assert(
    fc.asyncProperty(packages, async (bundled) => {
      const files = await filesOf(Buffer.concat(bundleOf(bundled)));
      expect(files).toEqual(bundled.map(({ name, parts }) => [`${name}.pkpass`, Buffer.concat(parts)]));
    }),
  );
});

it('a bundle does not copy its packages', () => {
  const part = Buffer.alloc(1000, 1);
  expect(bundleOf([{ name: 'a', parts: [part] }])).toContain(part);
});

it('a bundle rejects an empty list, more than 10 packages, and a repeated name', () => {
  const some = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `p${n}`, parts: [] }));
  for (const bad of [[], some(11), [...some(1), ...some(1)]]) expect(() => bundleOf(bad)).toThrow(RangeError);
});
