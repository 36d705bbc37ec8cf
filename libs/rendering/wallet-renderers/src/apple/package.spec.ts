import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import zlib from 'node:zlib';
import fc from 'fast-check';
import yauzl from 'yauzl';
import { compileFiles, compilePackage, type PackageFile, type CompiledPackage } from './package.js';

const passJson = JSON.stringify({ formatVersion: 1, serialNumber: 'pas_1', description: 'Caffè ☕ «مرحبا»' });
const signature = Buffer.alloc(2950, 0x30);
const aPng = (name: string, size = 1000): PackageFile => ({ name, data: crypto.randomBytes(size) });
const build = (compiled: CompiledPackage, json = passJson) => Buffer.concat(compiled.draft(json).finish(signature));

/** Generates valid names. Names of a set always differ in more than case, because the disk may ignore the case. */
const anyFiles = fc
  .uniqueArray(
    fc.record({
      name: fc
        .array(fc.stringMatching(/^[a-z0-9@_ "-]{1,12}(\.[a-z]{1,5})?$/), { minLength: 1, maxLength: 3 })
        .map((segments) => segments.join('/')),
      data: fc.uint8Array({ maxLength: 2000 }),
    }),
    { selector: ({ name }) => name, maxLength: 12 },
  )
  .filter((files) => files.every(({ name }) => name !== 'signature'));

describe('a package', () => {
  it('a package contains every file unchanged, and a manifest that lists exactly these files', async () => {
    await fc.assert(
      fc.asyncProperty(anyFiles, anyFiles, fc.string({ unit: 'grapheme' }), async (own, added, json) => {
        const names = new Set(own.map(({ name }) => name));
        const extra = added.filter(({ name }) => !names.has(name));
        const compiled = compilePackage(own).with(compileFiles(extra));
        const files = await unzipped(build(compiled, json));
        const manifest = files.get('manifest.json')!;
        const given = new Map([...own, ...extra].map(({ name, data }) => [name, Buffer.from(data)]));
        expect(files).toEqual(
          new Map([...given, ['pass.json', Buffer.from(json)], ['manifest.json', manifest], ['signature', signature]]),
        );
        given.set('pass.json', Buffer.from(json));
        expect(JSON.parse(manifest.toString())).toEqual(
          Object.fromEntries([...given].map(([name, data]) => [name, crypto.hash('sha1', data)])),
        );
      }),
    );
  });

  it('a draft returns the exact bytes of its manifest.json for signing', async () => {
    const draft = compilePackage([aPng('icon.png'), aPng('en.lproj/logo.png')]).draft(passJson);
    const files = await unzipped(Buffer.concat(draft.finish(signature)));
    expect(files.get('manifest.json')).toEqual(draft.manifest);
  });

  it('packages with the same content have the same bytes, for any order and grouping of their files', () => {
    const files = ['icon.png', 'icon@2x.png', 'logo.png', 'thumbnail.png'].map((name) => aPng(name));
    const draft = compilePackage(files).draft(passJson);
    expect(build(compilePackage(files.toReversed()))).toEqual(Buffer.concat(draft.finish(signature)));
    const inTwoSets = compilePackage(files.slice(2)).with(compileFiles(files.slice(0, 2)));
    expect(inTwoSets.draft(passJson).manifest).toEqual(draft.manifest);
  });

  it.each(['pass.json', 'icon.png'])('a package has a different manifest when one byte of %s changes', (name) => {
    const compiled = (icon: string) => compilePackage([{ name: 'icon.png', data: Buffer.from(icon) }]);
    const changed = name === 'icon.png' ? compiled('b').draft('{}') : compiled('a').draft('{ }');
    expect(changed.manifest).not.toEqual(compiled('a').draft('{}').manifest);
  });

  it('the files of a package have the date 1980-01-01 and mode 0644, and are stored without data descriptors', async () => {
    for (const entry of await entriesOf(build(compilePackage([aPng('icon.png')])))) {
      expect(entry).toMatchObject({ compressionMethod: 0, generalPurposeBitFlag: 0, lastModFileDate: 0x21 });
      expect((entry.externalFileAttributes >>> 16).toString(8)).toBe('100644');
      expect(entry.compressedSize).toBe(entry.uncompressedSize);
    }
  });

  const unzipInstalled = spawnSync('unzip', ['-v']).status === 0;
  (unzipInstalled ? it : it.skip)('a package passes `unzip -t`, if unzip is installed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'passwright-package-'));
    const path = join(folder, 'x.pkpass');
    writeFileSync(path, build(compilePackage([aPng('icon.png', 40_000), aPng('en.lproj/logo.png')])));
    expect(spawnSync('unzip', ['-t', path], { encoding: 'utf8' }).stdout).toContain('No errors detected');
    rmSync(folder, { recursive: true });
  });

  it.each([
    '',
    '/icon.png',
    'a//b.png',
    'folder/',
    '../icon.png',
    'a/./b',
    'C:icon.png',
    'a\\b.png',
    'ícon.png',
    'a\n',
  ])('a package rejects the name %j', (name) => {
    expect(() => compileFiles([aPng(name)])).toThrow(/cannot be a file of a package/);
  });

  it.each(['pass.json', 'manifest.json', 'signature', 'icon.png'])(
    'a package rejects a second file named %s',
    (name) => {
      expect(() => compileFiles([aPng('icon.png'), aPng(name)])).toThrow(`A package holds only one "${name}".`);
      const compiled = compilePackage([aPng('icon.png')]);
      expect(() => compiled.with({ ...compileFiles([]), files: compileFiles([aPng('icon.png')]).files })).toThrow(
        RangeError,
      );
    },
  );

  it('a package rejects more files than a zip archive without Zip64 can contain', () => {
    const files = Array.from({ length: 65_533 }, (_, index) => aPng(`${index}.png`, 0));
    expect(() => compilePackage(files)).toThrow(/at most 65535 files, not 65536/);
  });
});

describe('the cost of a pass with 364 KB of images', () => {
  const images = Array.from({ length: 9 }, (_, index) => aPng(`image${index}.png`, 364_000 / 9));
  const thumbnail = compileFiles([aPng('thumbnail.png', 30_000)]);

  it('every package of a layout begins with the same compiled buffers', () => {
    const compiled = compilePackage(images);
    const [head, ...rest] = compiled.draft(passJson).finish(signature);
    expect(head).toBe(compiled.heads[0]);
    expect(compiled.draft('{}').finish(signature)[0]).toBe(head);
    expect(rest.reduce((size, { length }) => size + length, 0)).toBeLessThan(10_000);
    expect(compiled.with(thumbnail).draft('{}').finish(signature).slice(0, 2)).toEqual([head, thumbnail.bytes]);
    expect(compiled.with(thumbnail).heads[0]).toBe(head);
  });

  it('each pass computes only the hash of pass.json and the CRCs of its own three files', () => {
    const compiled = compilePackage(images).with(thumbnail);
    const hashed = jest.spyOn(crypto, 'hash');
    const summed = jest.spyOn(zlib, 'crc32');
    const draft = compiled.draft(passJson);
    draft.finish(signature);
    const inputs = (spy: { mock: { calls: unknown[][] } }, argument: number) =>
      spy.mock.calls.map((call) => Buffer.from(call[argument] as Uint8Array).toString('latin1'));
    const pass = Buffer.from(passJson).toString('latin1');
    expect(inputs(hashed, 1)).toEqual([pass]);
    expect(inputs(summed, 0)).toEqual([pass, draft.manifest.toString('latin1'), signature.toString('latin1')]);
    jest.restoreAllMocks();
  });

  it('each pass allocates at most 25 KB, even with its own thumbnail', () => {
    const compiled = compilePackage(images);
    expect(allocatedBytes(() => compiled.draft(passJson).finish(signature))).toBeLessThan(25_000);
    expect(allocatedBytes(() => compiled.with(thumbnail).draft(passJson).finish(signature))).toBeLessThan(25_000);
  });
});

/**
 * Returns the bytes of heap and buffers that one call allocates: the median of several rounds, each too short for a
 * garbage collection.
 */
function allocatedBytes(call: () => unknown): number {
  setFlagsFromString('--expose-gc');
  // Collect only young objects, because a full collection takes half a second and also collects the garbage of other
  // specs.
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  const used = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const calls = 50;
  const stored: unknown[] = [];
  const rounds = Array.from({ length: 21 }, () => {
    stored.length = 0;
    collect({ type: 'minor' });
    const before = used();
    for (let index = 0; index < calls; index += 1) stored.push(call());
    return (used() - before) / calls;
  });
  return rounds.toSorted((a, b) => a - b)[10]!;
}

async function entriesOf(archive: Buffer): Promise<yauzl.Entry[]> {
  const zip = await yauzl.fromBufferPromise(archive, {});
  const entries: yauzl.Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

/** Unpacks every file by name and checks its CRC, because the zip reader does not check it. */
async function unzipped(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(archive, {});
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const data = Buffer.concat(await (await zip.openReadStreamPromise(entry)).toArray());
    expect(zlib.crc32(data)).toBe(entry.crc32);
    expect(files.has(entry.fileName)).toBe(false);
    files.set(entry.fileName, data);
  }
  return files;
}
