import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { testCertificates } from '../test-certificates.js';
import { verifyBundle } from './pass-bundle.js';
import {
  aPackage,
  aPassJson,
  aPng,
  certificates,
  type PackageParts,
  PASS_TYPE,
  signature,
  zip,
} from './pass-package.fixtures.js';
import { PackageRejected, verifyPackage } from './package-verification.js';

const trust = () => ({ roots: [new X509Certificate(certificates().rootPem)], allowHttp: true });
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const verify = (pkpass: Uint8Array) => verifyPackage(pkpass, trust());

async function problemsOf(parts: PackageParts | Uint8Array): Promise<readonly string[]> {
  try {
    await verify(parts instanceof Uint8Array ? parts : aPackage(parts));
    return [];
  } catch (error) {
    if (!(error instanceof PackageRejected)) throw error;
    return error.problems;
  }
}

describe('a valid package', () => {
  it('verifyPackage accepts a valid package and returns its pass.json and files', async () => {
    const { json, files, packageBytes } = await verify(aPackage());
    expect(json).toEqual(aPassJson());
    expect([...files.keys()].sort()).toEqual(['icon.png', 'icon@2x.png', 'manifest.json', 'pass.json', 'signature']);
    expect(files.get('icon.png')).toEqual(aPng());
    expect(packageBytes).toEqual(aPackage({ tamper: (all) => all.set('signature', files.get('signature')!) }));
  });

  it.each<[string, PackageParts]>([
    ['signed with SHA-1, as older signers do', { signing: { digest: 'sha1' } }],
    ['with only one image scale', { files: { 'icon@3x.png': aPng(114) } }],
    ['with localised files', { files: { 'icon.png': aPng(), 'de.lproj/pass.strings': Buffer.from('"a" = "b";') } }],
    [
      'with folders that have entries of their own',
      { zip: (all) => [{ name: 'de.lproj/', data: Buffer.alloc(0) }, ...all] },
    ],
    ['with every file stored', { zip: (all) => all.map((entry) => ({ ...entry, deflate: false })) }],
    ['with every file deflated', { zip: (all) => all.map((entry) => ({ ...entry, deflate: true })) }],
    ['signed at a GeneralizedTime', { signing: { generalizedTime: true } }],
    [
      'with a poster style beside a classic one',
      { json: { posterGeneric: { primaryFields: [{ key: 'a', value: 1 }] } } },
    ],
    [
      'whose certificate has expired since it was signed',
      { pass: { validFrom: hoursAgo(20), expiresAt: hoursAgo(1) }, signing: { signedAt: hoursAgo(2) } },
    ],
  ])('verifyPackage accepts a package %s', async (_, parts) => {
    expect(await problemsOf(parts)).toEqual([]);
  });
});

describe('packages that phones reject', () => {
  it.each<[string, PackageParts, RegExp]>([
    [
      'a file changed after signing',
      { tamper: (files) => files.set('pass.json', Buffer.from('{}')) },
      /manifest\.json: the SHA-1 of "pass\.json" is/,
    ],
    [
      'a file that is not listed',
      { tamper: (files) => files.set('extra.txt', Buffer.from('x')) },
      /manifest\.json: "extra\.txt" is not listed/,
    ],
    [
      'a file that is missing',
      { tamper: (files) => files.delete('icon@2x.png') },
      /"icon@2x\.png" is listed, but not in the package/,
    ],
    [
      'a manifest that lists itself',
      { manifest: (all) => ({ ...all, 'manifest.json': '0'.repeat(40) }) },
      /"manifest\.json" must not be listed/,
    ],
    [
      'a manifest with SHA-256',
      { manifest: (all) => ({ ...all, 'icon.png': '0'.repeat(64) }) },
      /the entry of "icon\.png" is no SHA-1/,
    ],
    [
      'a manifest with upper-case hex',
      { manifest: (all) => ({ ...all, 'icon.png': all['icon.png']!.toUpperCase() }) },
      /the entry of "icon\.png" is no SHA-1 in lower-case/,
    ],
    ['a manifest that is a list', { manifest: () => [] }, /manifest\.json: it is no object/],
    [
      'a manifest changed after signing',
      { tamper: (files) => files.set('manifest.json', Buffer.concat([files.get('manifest.json')!, Buffer.from(' ')])) },
      /signature: it signs another manifest\.json/,
    ],
    ['no manifest', { tamper: (files) => files.delete('manifest.json') }, /manifest\.json: it is missing/],
    ['no signature', { tamper: (files) => files.delete('signature') }, /signature: it is missing/],
    ['no pass.json', { tamper: (files) => files.delete('pass.json') }, /pass\.json: it is missing/],
    [
      'a byte order mark',
      { tamper: (files) => files.set('pass.json', Buffer.from('\ufeff{}')) },
      /pass\.json: it begins with a byte order mark/,
    ],
    ['no icon', { files: { 'logo.png': aPng() } }, /icon\.png, icon@2x\.png or icon@3x\.png is missing/],
    [
      'an icon with a capital letter',
      { files: { 'Icon.png': aPng() } },
      /icon\.png, icon@2x\.png or icon@3x\.png is missing/,
    ],
    [
      'a JPEG called PNG',
      { files: { 'icon.png': Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(99)]) } },
      /"icon\.png" is no PNG/,
    ],
    ['a PNG that is cut off', { files: { 'icon.png': aPng().subarray(0, -4) } }, /"icon\.png" is no PNG/],
  ])('verifyPackage rejects a package with %s', async (_, parts, problem) => {
    expect((await problemsOf(parts)).join('\n')).toMatch(problem);
  });

  it('verifyPackage lists every error of a package', async () => {
    const problems = await problemsOf({ json: { formatVersion: '1', voided: 'true' }, files: {} });
    expect(problems).toEqual([
      'pass.json: formatVersion is not the number 1',
      'pass.json: voided is not true or false',
      'icon.png, icon@2x.png or icon@3x.png is missing',
    ]);
  });
});

describe('the archive', () => {
  const renamed = (name: string): PackageParts => ({
    zip: (all) => all.map((entry) => (entry.name === 'icon.png' ? { ...entry, name } : entry)),
  });
  const icon = (change: object): PackageParts => ({
    zip: (all) => all.map((entry) => (entry.name === 'icon.png' ? { ...entry, ...change } : entry)),
  });
  it.each<[string, PackageParts, RegExp]>([
    [
      'a wrapping folder',
      { zip: (all) => all.map((entry) => ({ ...entry, name: `pass/${entry.name}` })) },
      /"pass\/pass\.json" is not at the root/,
    ],
    ['an absolute name', renamed('/icon.png'), /"\/icon\.png" has an absolute name/],
    ['a drive in the name', renamed('C:icon.png'), /has an absolute name/],
    ['a name that leaves the folder', renamed('../icon.png'), /has a name with empty, "\." or "\.\." parts/],
    ['a backslash', renamed('en.lproj\\icon.png'), /has a backslash/],
    ['a name beyond ASCII', renamed('ícon.png'), /not printable ASCII/],
    ['a duplicate', { zip: (all) => [...all, all[0]!] }, /"pass\.json" is in the archive twice/],
    ['an encrypted file', icon({ flags: 1 }), /"icon\.png" is encrypted/],
    ['a symbolic link', icon({ mode: 0o120777 }), /"icon\.png" is a symbolic link/],
    ['an unknown compression', icon({ method: 12 }), /"icon\.png" uses compression method 12/],
    ['a wrong CRC', icon({ crc32: 1 }), /"icon\.png" has another CRC/],
    ["another name in the file's own header", icon({ localName: 'icom.png' }), /"icon\.png" is described differently/],
  ])('verifyPackage rejects an archive with %s', async (_, parts, problem) => {
    expect((await problemsOf(parts)).join('\n')).toMatch(problem);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', Buffer.alloc(0), /no zip archive/],
    ['an HTML page', Buffer.from('<!doctype html><title>502</title>'), /no zip archive/],
    ['an empty archive', zip([]), /no zip archive/],
    ['half a package', aPackage().subarray(0, 900), /no zip archive/],
    ['more than 16 MiB', Buffer.alloc((16 << 20) + 1), /more than the 16777216 allowed/],
    [
      'a file that unpacks to 65 MiB',
      aPackage({
        tamper: (files) => files.set('bomb', Buffer.alloc(65 << 20)),
        zip: (all) => all.map((entry) => ({ ...entry, deflate: true })),
      }),
      /it unpacks to \d+ bytes/,
    ],
    [
      '501 files',
      zip(Array.from({ length: 501 }, (_, n) => ({ name: `${n}`, data: Buffer.alloc(0) }))),
      /more than 500 files/,
    ],
  ])('verifyPackage rejects input that is not a usable archive: %s', async (_, bytes, problem) => {
    expect((await problemsOf(bytes)).join('\n')).toMatch(problem);
  });
});

describe('the signature', () => {
  const other = testCertificates();
  it.each<[string, PackageParts, RegExp]>([
    ['with content of its own', { signing: { content: true } }, /it is not detached/],
    ['of content that is not data', { signing: { contentType: '1.2.840.113549.1.7.5' } }, /not of the type id-data/],
    ['without signed attributes', { signing: { attributes: null } }, /it has no signed attributes/],
    ['without signing time', { signing: { attributes: ['contentType', 'messageDigest'] } }, /lack the signing time/],
    ['without message digest', { signing: { attributes: ['contentType', 'signingTime'] } }, /lack the message digest/],
    [
      'without content type',
      { signing: { attributes: ['messageDigest', 'signingTime'] } },
      /contentType is not id-data/,
    ],
    [
      'with an attribute twice',
      { signing: { attributes: ['contentType', 'signingTime', 'signingTime', 'messageDigest'] } },
      /1\.2\.840\.113549\.1\.9\.5 is there twice/,
    ],
    [
      'over other bytes',
      { signing: { signedBytes: Buffer.from('other') } },
      /does not verify with the key of its signer/,
    ],
    [
      'made before the certificate became valid',
      { signing: { signedAt: new Date('2020-01-01') } },
      /it was signed at 2020-01-01T00:00:00\.000Z, when its certificates are not all valid/,
    ],
    [
      'without the intermediate',
      { signing: { embedded: [certificates().pass().certificatePem] } },
      /signer's certificate is not inside/,
    ],
    [
      'by a certificate that is not for passes',
      { signing: { signer: certificates().server() } },
      /no pass type marker[^]*not for signing passes[^]*intermediate certificate that issued the signer is not inside/,
    ],
    [
      'by a chain of other roots',
      { signing: { signer: other.pass(), embedded: [other.intermediatePem, other.pass().certificatePem] } },
      /not inside|no trusted root/,
    ],
    [
      'for another pass type',
      { json: { passTypeIdentifier: 'pass.com.example.other' } },
      /passTypeIdentifier is "pass\.com\.example\.other", the certificate's UID "pass\.com\.example\.test"[^]*is marked/,
    ],
    [
      'for another team',
      { json: { teamIdentifier: 'testteam01' } },
      /teamIdentifier is "testteam01", the certificate's OU "TESTTEAM01"/,
    ],
    ['as PEM', { tamper: (files) => files.set('signature', Buffer.from('-----BEGIN PKCS7-----')) }, /signature: /],
    [
      'with bytes behind it',
      { tamper: (files) => files.set('signature', Buffer.concat([files.get('signature')!, Buffer.from([0])])) },
      /signature: /,
    ],
  ])('verifyPackage rejects a signature %s', async (_, parts, problem) => {
    expect((await problemsOf(parts)).join('\n')).toMatch(problem);
  });

  it('verifyPackage rejects a signature without the intermediate certificate, even if that one is trusted', async () => {
    const signer = certificates().pass();
    const pkpass = aPackage({ signing: { signer, embedded: [signer.certificatePem] } });
    const roots = [new X509Certificate(certificates().intermediatePem)];
    await expect(verifyPackage(pkpass, { roots, allowHttp: true })).rejects.toThrow(
      /intermediate certificate .* is not inside/,
    );
  });

  it('verifyPackage accepts any chain if no roots are given, and otherwise only a chain to one of them', async () => {
    const signer = other.pass();
    const pkpass = aPackage({ signing: { signer, embedded: [other.intermediatePem, signer.certificatePem] } });
    await expect(verifyPackage(pkpass, { roots: [], allowHttp: true })).resolves.toBeDefined();
    expect(await problemsOf(pkpass)).toEqual(['signature: its certificates lead to no trusted root']);
  });

  const itWithOpenssl = spawnSync('openssl', ['version']).status === 0 ? it : it.skip;
  itWithOpenssl('OpenSSL also accepts the signature of a valid package', () => {
    const dir = mkdtempSync(join(tmpdir(), 'virtual iphone '));
    const manifest = Buffer.from('{}');
    writeFileSync(join(dir, 'manifest.json'), manifest);
    writeFileSync(join(dir, 'signature'), signature(manifest));
    writeFileSync(join(dir, 'root.pem'), certificates().rootPem);
    const signed = ['-verify', '-binary', '-inform', 'DER', '-in', 'signature', '-content', 'manifest.json'];
    const run = () =>
      execFileSync('openssl', ['cms', ...signed, '-CAfile', 'root.pem', '-purpose', 'any', '-out', '/dev/null'], {
        cwd: dir,
        stdio: 'pipe',
      });
    expect(run).not.toThrow();
    rmSync(dir, { recursive: true });
  });
});

describe('mutated packages', () => {
  const intact = aPackage({ files: { 'icon.png': aPng(3), 'de.lproj/pass.strings': Buffer.from('"a" = "b";') } });

  async function filesOf(pkpass: Buffer) {
    try {
      return (await verify(pkpass)).files;
    } catch (error) {
      if (error instanceof PackageRejected) return null;
      throw error;
    }
  }

  it('verifyPackage never crashes on a mutated package, and never accepts a changed file', async () => {
    const original = (await filesOf(intact))!;
    const mutation = fc.record({ at: fc.nat(intact.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        fc.nat(intact.length),
        async (mutations, cut) => {
          const mutated = Buffer.from(intact);
          for (const { at, byte } of mutations) mutated.writeUInt8(byte, at);
          const files = await filesOf(cut % 7 === 0 ? mutated.subarray(0, cut) : mutated);
          if (!files) return;
          expect(files.size).toBe(original.size);
          // The bytes of the signature file may differ if it still signs the same manifest.
          for (const [name, data] of files) if (name !== 'signature') expect(data).toEqual(original.get(name));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('verifyPackage rejects a signature if any of its bytes has changed', async () => {
    // Skip the change from identifier 1.2.840.113549.1.1.1 to 1.2.840.113549.1.1.11, because both are valid.
    const rsaEncryption = Buffer.from('2a864886f70d010101', 'hex');
    const toSha256WithRsa = 0x01 ^ 0x0b;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (where, difference) => {
        const mutate = (files: Map<string, Uint8Array>) => {
          const bytes = Buffer.from(files.get('signature')!);
          const at = where % bytes.length;
          fc.pre(!(at === bytes.lastIndexOf(rsaEncryption) + 8 && difference === toSha256WithRsa));
          bytes.writeUInt8(bytes.readUInt8(at) ^ difference, at);
          files.set('signature', bytes);
        };
        expect(await filesOf(aPackage({ tamper: mutate }))).toBeNull();
      }),
      // Always test two changes: another version of the SignedData, and an invalid NULL.
      {
        numRuns: 300,
        examples: [
          [25, 0x02],
          [41, 0x20],
        ],
      },
    );
  });
});

describe('a bundle', () => {
  const bundle = (...serials: string[]) =>
    zip(serials.map((serialNumber, n) => ({ name: `${n}.pkpass`, data: aPackage({ json: { serialNumber } }) })));
  const rejection = (bytes: Uint8Array) =>
    verifyBundle(bytes, trust()).then(
      () => '',
      (error: Error) => error.message,
    );

  it('verifyBundle accepts a bundle of 1 to 10 passes', async () => {
    const serials = Array.from({ length: 10 }, (_, n) => `serial-${n}`);
    const passes = await verifyBundle(bundle(...serials), trust());
    expect(passes.map(({ json }) => json.serialNumber)).toEqual(serials);
    await expect(verifyBundle(bundle('one'), trust())).resolves.toHaveLength(1);
  });

  it('verifyBundle rejects a bundle with 11 passes, a repeated pass or an invalid pass', async () => {
    expect(await rejection(bundle(...Array.from({ length: 11 }, (_, n) => `${n}`)))).toMatch(/more than 10 files/);
    expect(await rejection(bundle('a', 'a'))).toContain(
      `"1.pkpass" holds ${PASS_TYPE}/a, which is in the bundle already`,
    );
    expect(await rejection(zip([{ name: 'read.me', data: Buffer.from('x') }]))).toContain('"read.me" is no .pkpass');
    expect(await rejection(zip([{ name: 'a.pkpass', data: aPackage({ files: {} }) }]))).toContain(
      '"a.pkpass": icon.png',
    );
    expect(await rejection(aPackage())).toContain('"pass.json" is no .pkpass');
  });
});
