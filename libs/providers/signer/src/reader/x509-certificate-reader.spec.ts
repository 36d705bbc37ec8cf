import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import type { CertificateUpload } from '@passwright/core';
import fc from 'fast-check';
import { DetachedCms } from '../detached-cms.js';
import { aChain, anEcKey, type Chain, keyPem, materialOf, NOW, OWNER, reissued, without } from '../signer.fixtures.js';
import { loadSigningMaterial } from '../signing-material.js';
import {
  aDamagedKey,
  anAppPushCertificate,
  opensToRubbish,
  pairOf,
  problemsOf,
  read,
  withKeyOf,
} from './certificate.fixtures.js';
import { X509CertificateReader } from './x509-certificate-reader.js';

const DAY_MS = 24 * 60 * 60 * 1000;

let chain: Chain;
let other: Chain;

beforeAll(() => {
  chain = aChain();
  other = aChain();
});

describe('accepted uploads', () => {
  it('X509CertificateReader.read accepts a PEM pair with its intermediate, and returns plain PEM that can sign a pass', async () => {
    const { certificatePem, privateKeyPem, intermediatePem, ...identity } = await read(pairOf(chain));
    expect({ certificatePem, privateKeyPem, intermediatePem }).toEqual({
      certificatePem: chain.certificatePem,
      privateKeyPem: chain.privateKeyPem,
      intermediatePem: chain.intermediatePem,
    });
    expect(identity).toEqual({
      ...OWNER,
      fingerprint: materialOf(chain).certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      expiresAt: new Date('2027-10-28T11:34:56.000Z'),
      development: true,
    });
    const signer = new DetachedCms(loadSigningMaterial({ certificatePem, privateKeyPem, intermediatePem }));
    expect(signer.signSync(Buffer.from('{}'), NOW).length).toBeGreaterThan(2000);
  });

  it("X509CertificateReader.read accepts the bytes of Apple's .cer file and the bytes of PEM text", async () => {
    const der = new X509Certificate(chain.certificatePem).raw;
    for (const certificate of [der, Buffer.from(chain.certificatePem)]) {
      expect(await read({ ...pairOf(chain), certificate })).toMatchObject({ certificatePem: chain.certificatePem });
    }
  });

  it.each<[string, () => CertificateUpload]>([
    ['chain and key in one PEM text', () => ({ certificate: everything(chain).join('') })],
    ['key and chain in one PEM text, in reverse order', () => ({ certificate: everything(chain).reverse().join('') })],
    ['certificates beside the key', () => ({ certificate: chain.rootPem, privateKey: everything(chain).join('') })],
    [
      'text around the blocks, as openssl pkcs12 writes it',
      () => ({
        certificate: everything(chain)
          .map((pem) => `Bag Attributes\n    localKeyID: 01 \n${pem}`)
          .join('\n'),
      }),
    ],
    [
      'a key in the old form of OpenSSL',
      () => ({
        ...pairOf(chain),
        privateKey: chain.keys.pass.export({ type: 'pkcs1', format: 'pem' }).toString(),
      }),
    ],
  ])('X509CertificateReader.read accepts %s', async (_, upload) => {
    expect(await read(upload())).toMatchObject({
      certificatePem: chain.certificatePem,
      privateKeyPem: chain.privateKeyPem,
      intermediatePem: chain.intermediatePem,
    });
  });

  it('X509CertificateReader.read accepts an encrypted key with its passphrase, in the new and the old format', async () => {
    for (const type of ['pkcs8', 'pkcs1'] as const) {
      const options = { type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'sésame' } as const;
      const privateKey = chain.keys.pass.export(options).toString();
      const result = await read({ ...pairOf(chain), privateKey, passphrase: 'sésame' });
      expect(result.privateKeyPem).toBe(chain.privateKeyPem);
      expect(await problemsOf({ ...pairOf(chain), privateKey, passphrase: 'wrong' })).toEqual([
        'The passphrase does not open the private key.',
      ]);
      expect(await problemsOf({ ...pairOf(chain), privateKey })).toEqual([
        'The private key is encrypted: hand in its passphrase.',
      ]);
    }
  });

  it('X509CertificateReader.read selects the newest valid pass type certificate from several', async () => {
    const older = aChain(new Date(NOW.getTime() - 100 * DAY_MS), OWNER, chain.keys);
    const expired = aChain(new Date(NOW.getTime() - 500 * DAY_MS), OWNER, chain.keys);
    const push = anAppPushCertificate(chain);
    const all = [
      older.certificatePem,
      ...everything(other).slice(2),
      push,
      expired.certificatePem,
      ...everything(chain),
    ];
    expect((await read({ certificate: all.join('') })).certificatePem).toBe(chain.certificatePem);
    expect((await read({ certificate: all.reverse().join('') })).certificatePem).toBe(chain.certificatePem);
  });

  it('X509CertificateReader.read accepts a certificate without an intermediate if its issuer is bundled', async () => {
    const reader = new X509CertificateReader([other, chain].map((one) => materialOf(one).intermediate));
    const { intermediate: _, ...pair } = pairOf(chain);
    expect((await reader.read(pair, NOW)).intermediatePem).toBe(chain.intermediatePem);
  });

  it('X509CertificateReader.read accepts a certificate until the last second of its validity', async () => {
    const last = new Date('2027-10-28T11:34:56.000Z');
    expect((await read(pairOf(chain), last)).expiresAt).toEqual(last);
    expect(await problemsOf(pairOf(chain), new Date(last.getTime() + 1))).toHaveLength(1);
  });
});

describe('rejected uploads', () => {
  it.each(['key', 'oldKey', 'pkcs12'] as const)(
    'X509CertificateReader.read reports a wrong passphrase even if the padding is right by chance (%s)',
    async (kind) => {
      const what = kind === 'pkcs12' ? 'PKCS#12 file' : 'private key';
      expect(await problemsOf(opensToRubbish('wrong')[kind])).toEqual([`The passphrase does not open the ${what}.`]);
    },
  );

  const cases: [string, RegExp, () => CertificateUpload, Date?][] = [
    ['nothing', /^There is no certificate in what was handed in\.$/, () => ({})],
    ['a certificate without a key', /^The private key is missing/, () => ({ certificate: chain.certificatePem })],
    ['a key without a certificate', /^There is no certificate/, () => ({ privateKey: chain.privateKeyPem })],
    [
      'the key of another certificate',
      /^The private key does not belong to the certificate\.$/,
      () => ({ ...pairOf(chain), privateKey: other.privateKeyPem }),
    ],
    [
      'an EC key',
      /^The private key is ec: Apple Wallet takes RSA keys only/,
      () => ({ ...pairOf(chain), privateKey: anEcKey() }),
    ],
    [
      'an RSA-PSS key',
      /^The private key is rsa-pss/,
      () => ({
        ...pairOf(chain),
        privateKey: keyPem(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey),
      }),
    ],
    [
      'a short RSA key',
      /^The private key has 1024 bits: it must have 2048 \(as Apple asks\) to 4096\.$/,
      () => ({ ...pairOf(chain), ...withKeyOf(1024, chain) }),
    ],
    [
      'a key whose halves do not fit',
      /^The private key is damaged/,
      () => ({ ...pairOf(chain), privateKey: aDamagedKey(chain.keys.pass, other.keys.pass) }),
    ],
    [
      'one that has expired, with the date',
      /^The certificate expired on 2027-10-28T11:34:56\.000Z: renew it/,
      () => pairOf(chain),
      new Date(NOW.getTime() + 396 * DAY_MS),
    ],
    [
      'one that is not yet valid, with the date',
      /^The certificate is not valid before 2026-09-28T11:34:56\.000Z, and it is 2026-09-27/,
      () => pairOf(chain),
      new Date(NOW.getTime() - DAY_MS),
    ],
    [
      'an expired intermediate',
      /^The intermediate certificate expired on 2036/,
      () => pairOf(chain),
      new Date(NOW.getTime() + 4000 * DAY_MS),
    ],
    [
      "an app's push certificate",
      /^"Apple Push Services: com\.example\.app" is not a pass type certificate .* Pass Type ID/,
      () => ({ ...pairOf(chain), certificate: anAppPushCertificate(chain) }),
    ],
    [
      'one without a pass type',
      /^The certificate names no pass type identifier \(UID\)/,
      () => ({ ...pairOf(chain), certificate: without(chain, '0.9.2342.19200300.100.1.1').certificatePem }),
    ],
    [
      'one without a team',
      /^The certificate names no team identifier \(OU\)/,
      () => ({ ...pairOf(chain), certificate: without(chain, '2.5.4.11').certificatePem }),
    ],
    [
      'one without the marker of its pass type',
      /100\.6\.1\.16 is missing: it must be the pass type identifier "pass\.com\.example\.dev"\.$/,
      () => ({ ...pairOf(chain), certificate: without(chain, '1.2.840.113635.100.6.1.16').certificatePem }),
    ],
    [
      'one whose marker names another pass type',
      /says "pass\.com\.example\.dev": it must be the pass type identifier "pass\.com\.example\.other"\.$/,
      () => ({
        ...pairOf(chain),
        certificate: reissued(chain, ({ subject }) => {
          subject.attributes[0]!.value = 'pass.com.example.other';
        }).certificatePem,
      }),
    ],
    [
      "another chain's intermediate",
      /^The certificate was not issued by this intermediate .* but by .* with the subject key identifier [0-9A-F]{40}\.$/,
      () => ({ ...pairOf(chain), intermediate: other.intermediatePem }),
    ],
    [
      'a missing intermediate, naming the one needed and the one bundled',
      /^The intermediate certificate is missing: .*DEVELOPMENT.* identifier [0-9A-F]{40}; .* Bundled is .*OU=G4, O=Apple Inc.*5BD9FA1DE79A1A0BA399762250863E91C85B77A8;/,
      () => ({ ...pairOf(chain), intermediate: undefined }),
    ],
    ['text that is not PEM', /^The certificate is not PEM text/, () => ({ ...pairOf(chain), certificate: 'MIIC' })],
    ['a key that is not PEM', /^The private key is not PEM text/, () => ({ ...pairOf(chain), privateKey: 'secret' })],
    [
      'an intermediate that is no PEM',
      /^The intermediate certificate is not PEM text/,
      () => ({ ...pairOf(chain), intermediate: 'MIIC' }),
    ],
    [
      'bytes that are no DER',
      /^The certificate is neither PEM text nor a DER file \(\.cer\)/,
      () => ({ ...pairOf(chain), certificate: Buffer.from('hello') }),
    ],
    [
      'a block that holds no certificate',
      /^The certificate cannot be read/,
      () => ({ ...pairOf(chain), certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }),
    ],
    [
      'a block that holds no key',
      /^The private key cannot be read/,
      () => ({ ...pairOf(chain), privateKey: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }),
    ],
    [
      'more than any certificate takes',
      /^The certificate has 70000 bytes: 65536 are the most/,
      () => ({ ...pairOf(chain), certificate: 'x'.repeat(70_000) }),
    ],
    [
      'a heap of certificates',
      /^There are 11 certificates and 1 private keys/,
      () => ({ ...pairOf(chain), certificate: chain.certificatePem.repeat(10) }),
    ],
  ];

  // Jest would take a fourth parameter for its `done` callback.
  it.each(cases)(
    'X509CertificateReader.read rejects this upload with an explanation: %s',
    async (...[, sentence, upload, now]) => {
      expect(await problemsOf(upload(), now)).toContainEqual(expect.stringMatching(sentence));
    },
  );

  it('X509CertificateReader.read rejects a signing request in place of the certificate', async () => {
    const { requestPem, privateKeyPem } = await new X509CertificateReader().createRequest('Example');
    expect(await problemsOf({ certificate: requestPem, privateKey: privateKeyPem })).toEqual([
      expect.stringMatching(/^The certificate is a certificate signing request: upload it in Apple's developer portal/),
    ]);
  });

  it('X509CertificateReader.read lists all mistakes in one error', async () => {
    const upload = { ...pairOf(other), certificate: anAppPushCertificate(chain) };
    const problems = await problemsOf(upload, new Date(NOW.getTime() + 396 * DAY_MS));
    expect(problems.map((problem) => problem.slice(0, 30))).toEqual([
      expect.stringContaining('Apple Push Services'),
      expect.stringContaining('The private key does not'),
      expect.stringContaining('The certificate was not issued'),
      expect.stringContaining('The certificate expired on'),
    ]);
  });

  it('X509CertificateReader.read rejects any other text or mangled PEM with an explanation', async () => {
    const good = everything(chain).join('');
    const mangled = fc
      .record({ at: fc.nat(good.length), drop: fc.nat(80), put: fc.string({ maxLength: 20 }) })
      .map(({ at, drop, put }) => good.slice(0, at) + put + good.slice(at + drop));
    await fc.assert(
      fc.asyncProperty(fc.oneof(mangled, fc.string(), fc.uint8Array({ maxLength: 300 })), async (certificate) => {
        const problems = await read({ certificate }).then(
          () => ['taken'],
          () => problemsOf({ certificate }),
        );
        expect(problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

function everything({ certificatePem, intermediatePem, rootPem, privateKeyPem }: Chain): string[] {
  return [certificatePem, intermediatePem, rootPem, privateKeyPem];
}
