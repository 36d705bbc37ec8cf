import { hash, verify } from 'node:crypto';
import forge from 'node-forge';
import { DetachedCms } from './detached-cms.js';
import { aChain, type Chain, describeWithOpenssl, materialOf, NOW, openssl } from './signer.fixtures.js';

const manifest = Buffer.from('{"icon.png":"b8a6f4…","pass.json":"0f3c2e…"}');

describe('DetachedCms', () => {
  let chain: Chain;
  let cms: DetachedCms;

  beforeAll(() => {
    chain = aChain();
    cms = new DetachedCms(materialOf(chain));
  });

  it('DetachedCms produces the same bytes on the thread pool as on the calling thread in the same second', async () => {
    const laterThatSecond = new Date(NOW.getTime() + 200);
    expect(await cms.sign(manifest, NOW)).toEqual(cms.signSync(manifest, laterThatSecond));
  });

  it('DetachedCms includes leaf and intermediate but not the content', () => {
    const message = parsed(cms.signSync(manifest, NOW));
    const subjects = message.certificates.map((certificate) => certificate.subject.getField('CN')?.value as string);
    expect(subjects.sort()).toEqual([
      'Pass Type ID: pass.com.example.dev',
      'Passwright Pass Relations CA (DEVELOPMENT)',
    ]);
    expect(rawCapture(cms.signSync(manifest, NOW)).content).toBeUndefined();
  });

  it('DetachedCms signs 200 manifests simultaneously, each with its own valid signature', async () => {
    const manifests = Array.from({ length: 200 }, (_, index) => Buffer.from(`{"pass.json":"${index}"}`));
    const signatures = await Promise.all(manifests.map((content) => cms.sign(content, NOW)));
    for (const [index, signature] of signatures.entries()) {
      expect(attributesOf(signature).digest).toBe(hash('sha256', manifests[index]!));
      expect(isSignedBy(chain, signature)).toBe(true);
    }
    expect(new Set(signatures.map((signature) => signature.toString('hex'))).size).toBe(200);
  });

  it.each([
    ['2026-09-28T12:34:56.789Z', '17', '260928123456Z'],
    ['2049-12-31T23:59:59.999Z', '17', '491231235959Z'],
    ['2050-01-01T00:00:00.000Z', '18', '20500101000000Z'],
  ])('DetachedCms encodes the signing time %s under tag %s as %s', (at, tag, time) => {
    const signature = cms.signSync(manifest, new Date(at));
    expect(attributesOf(signature)).toMatchObject({ timeTag: tag, time });
    expect(isSignedBy(chain, signature)).toBe(true);
  });

  describeWithOpenssl('judged by openssl (skipped where it is not installed)', () => {
    const verified = (content: Uint8Array, signature: Uint8Array, command: 'cms' | 'smime') =>
      openssl(
        [command, '-verify', '-binary', '-inform', 'DER', '-in', 'signature', '-content', 'manifest.json']
          .concat(['-CAfile', 'root.pem', '-purpose', 'any'])
          .concat(['-attime', String(Math.floor(NOW.getTime() / 1000))]),
        { signature, 'manifest.json': content, 'root.pem': chain.rootPem },
      );

    it.each(['cms', 'smime'] as const)(
      'DetachedCms produces a signature that openssl %s verifies against the root alone',
      (command) => {
        expect(verified(manifest, cms.signSync(manifest, NOW), command)).toEqual(manifest);
      },
    );

    it.each(['cms', 'smime'] as const)(
      'DetachedCms produces a signature that openssl %s rejects after a change of one content byte',
      (command) => {
        const changed = Buffer.from(manifest.toString().replace('b8', 'b9'));
        expect(() => verified(changed, cms.signSync(manifest, NOW), command)).toThrow(/verif/i);
      },
    );

    it('DetachedCms produces a signature that openssl verifies after 2049', () => {
      expect(verified(manifest, cms.signSync(manifest, new Date('2051-01-01')), 'cms')).toEqual(manifest);
    });

    it('DetachedCms produces the same bytes as openssl, except for the time and the name of the signature algorithm', () => {
      const { certificate, intermediate } = materialOf(chain);
      const theirs = openssl(
        [
          'smime',
          '-sign',
          '-binary',
          '-md',
          'sha256',
          '-nosmimecap',
          '-in',
          'manifest.json',
          '-signer',
          'pass.pem',
        ].concat(['-inkey', 'pass.key', '-certfile', 'intermediate.pem', '-outform', 'DER']),
        {
          'manifest.json': manifest,
          'pass.pem': chain.certificatePem,
          'pass.key': chain.privateKeyPem,
          'intermediate.pem': chain.intermediatePem,
        },
      );
      const enclosed = [certificate.raw, intermediate.raw];
      // OpenSSL does not sort the certificates, although DER requires it.
      const at = Math.min(...enclosed.map((der) => theirs.indexOf(der)));
      theirs.set(Buffer.concat(enclosed.toSorted((a, b) => a.compare(b))), at);
      const ours = cms.signSync(manifest, utcTime(attributesOf(theirs).time));
      expect(ours).toHaveLength(theirs.length);
      // OpenSSL writes the OID rsaEncryption instead of sha256WithRSAEncryption, which differs in its last byte.
      const differing = [...ours.keys()].filter((at) => ours[at] !== theirs[at]);
      expect(differing.map((at) => [theirs[at], ours[at]])).toEqual([[0x01, 0x0b]]);
    });
  });
});

/** Parses a signature with a second implementation, node-forge. */
function parsed(signature: Buffer): forge.pkcs7.PkcsSignedData {
  const asn1 = forge.asn1.fromDer(signature.toString('latin1'));
  return forge.pkcs7.messageFromAsn1(asn1) as forge.pkcs7.PkcsSignedData;
}

type RawCapture = {
  authenticatedAttributes: forge.asn1.Asn1[];
  content?: forge.asn1.Asn1;
  signature: string;
};

function rawCapture(signature: Buffer): RawCapture {
  return (parsed(signature) as unknown as { rawCapture: RawCapture }).rawCapture;
}

function attributesOf(signature: Buffer) {
  const values = new Map(
    rawCapture(signature).authenticatedAttributes.map((attribute) => {
      const [type, set] = attribute.value as [forge.asn1.Asn1, forge.asn1.Asn1];
      return [forge.asn1.derToOid(type.value as string), (set.value as forge.asn1.Asn1[])[0]!] as const;
    }),
  );
  const digest = values.get('1.2.840.113549.1.9.4')!.value as string;
  const time = values.get('1.2.840.113549.1.9.5')!;
  return {
    digest: Buffer.from(digest, 'latin1').toString('hex'),
    time: time.value as string,
    timeTag: time.type.toString(16),
  };
}

/** Verifies the RSA signature, which covers the attributes under a SET tag (RFC 5652 §5.4). */
function isSignedBy(chain: Chain, signature: Buffer): boolean {
  const raw = rawCapture(signature);
  const set = forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.SET, true, raw.authenticatedAttributes);
  const signed = Buffer.from(forge.asn1.toDer(set).toHex(), 'hex');
  return verify('sha256', signed, chain.certificatePem, Buffer.from(raw.signature, 'latin1'));
}

function utcTime(time: string): Date {
  const [year, month, day, hour, minute, second] = time.match(/\d\d/g)!;
  return new Date(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
