import { CertificateRejected } from '@passwright/core';
import fc from 'fast-check';
import { aChain, type Chain, describeWithOpenssl, openssl } from '../signer.fixtures.js';
import { aKeyWithIterations, aPkcs12, aPkcs12WithMac, problemsOf, read } from './certificate.fixtures.js';

let chain: Chain;

beforeAll(() => {
  chain = aChain();
});

const certificates = () => [chain.certificatePem, chain.intermediatePem];

describe('read of a PKCS#12 file', () => {
  it.each(['aes256', '3des'] as const)(
    'X509CertificateReader takes certificate, key and intermediate from a PKCS#12 file (%s)',
    async (algorithm) => {
      const pkcs12 = aPkcs12(chain.keys.pass, certificates(), 'sesame', { algorithm });
      expect(await read({ pkcs12, passphrase: 'sesame' })).toMatchObject({
        certificatePem: chain.certificatePem,
        privateKeyPem: chain.privateKeyPem,
        intermediatePem: chain.intermediatePem,
      });
    },
  );

  it('X509CertificateReader uses a separately uploaded intermediate when the PKCS#12 file has none', async () => {
    const pkcs12 = aPkcs12(chain.keys.pass, [chain.certificatePem], 'sesame');
    const upload = { pkcs12, passphrase: 'sesame', intermediate: chain.intermediatePem };
    expect((await read(upload)).intermediatePem).toBe(chain.intermediatePem);
    expect(await problemsOf({ pkcs12, passphrase: 'sesame' })).toEqual([
      expect.stringMatching(/^The intermediate certificate is missing/),
    ]);
  });

  it('X509CertificateReader distinguishes a wrong from a missing passphrase of a PKCS#12 file', async () => {
    const pkcs12 = aPkcs12(chain.keys.pass, certificates(), 'sesame');
    const wrong = 'The passphrase does not open the PKCS#12 file.';
    expect(await problemsOf({ pkcs12, passphrase: 'open' })).toEqual([wrong]);
    const missing = 'The PKCS#12 file is encrypted: hand in its passphrase.';
    expect(await problemsOf({ pkcs12 })).toEqual([missing]);
  });

  it('X509CertificateReader reports a PKCS#12 file without a key', async () => {
    const problems = await problemsOf({ pkcs12: aPkcs12(null, certificates(), 'sesame'), passphrase: 'sesame' });
    expect(problems).toEqual([
      expect.stringMatching(/^There is no private key in the PKCS#12 file: .*Keychain Access/),
    ]);
  });

  it('X509CertificateReader names the actual format of an upload that is not a PKCS#12 file', async () => {
    expect(await problemsOf({ pkcs12: Buffer.from(chain.certificatePem) })).toEqual([
      'The PKCS#12 file is PEM text: hand it in as certificate and private key.',
    ]);
    expect(await problemsOf({ pkcs12: Buffer.from('hello') })).toEqual([
      expect.stringMatching(/^The PKCS#12 file is not a PKCS#12 file/),
    ]);
    expect(await problemsOf({ certificate: aPkcs12(chain.keys.pass, certificates(), 'sesame') })).toEqual([
      'The certificate is a PKCS#12 file: hand it in as such, with its passphrase.',
    ]);
  });

  it('X509CertificateReader rejects a PKCS#12 file over 64 KB without reading it', async () => {
    expect(await problemsOf({ pkcs12: Buffer.alloc(65_537) })).toEqual([
      expect.stringMatching(/^The PKCS#12 file has 65537 bytes: 65536 are the most/),
    ]);
  });

  it('X509CertificateReader rejects a PKCS#12 file with over a million iterations without trying to decrypt the file', async () => {
    for (const upload of [{ pkcs12: aPkcs12WithMac(1_000_001) }, { ...aKeyWithIterations(2 ** 31 - 1) }]) {
      expect(await problemsOf({ ...upload, passphrase: 'x' })).toEqual([
        expect.stringMatching(/ takes too long to decrypt: it may ask for 1,000,000 iterations at most/),
      ]);
    }
  });

  it('X509CertificateReader keeps the event loop free during decryption', async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    await problemsOf({ pkcs12: aPkcs12WithMac(300_000), passphrase: 'x' });
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(50);
  });

  it('X509CertificateReader either reads a damaged PKCS#12 file or rejects the file with an explanation', async () => {
    const good = aPkcs12(chain.keys.pass, certificates(), 'sesame');
    const damage = fc.record({
      at: fc.nat(good.length - 1),
      byte: fc.nat(255),
      length: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), fc.boolean(), async (damages, cut) => {
        const file = Buffer.from(good);
        for (const { at, byte, length } of damages) file.fill(byte, at, Math.min(at + length, file.length));
        const pkcs12 = cut ? file.subarray(0, damages[0]!.at) : file;
        const outcome = await read({ pkcs12, passphrase: 'sesame' }).catch((error: unknown) => error);
        if (outcome instanceof CertificateRejected) expect(outcome.problems.join('')).not.toBe('');
        else expect(outcome).toMatchObject({ certificatePem: chain.certificatePem });
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  it('X509CertificateReader rejects random bytes that begin like a PKCS#12 file, without crashing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 120 }), async (bytes) => {
        const pkcs12 = Buffer.concat([Buffer.from([0x30, bytes.length + 3, 0x02, 0x01, 0x03]), bytes]);
        expect(await problemsOf({ pkcs12, passphrase: 'x' })).toHaveLength(1);
      }),
      { numRuns: 12 },
    );
  }, 60_000);

  describeWithOpenssl('made by openssl (skipped where it is not installed)', () => {
    const made = (...options: string[]) => {
      const files = {
        'pass.pem': chain.certificatePem,
        'pass.key': chain.privateKeyPem,
        'ca.pem': chain.intermediatePem,
      };
      const parts = ['-in', 'pass.pem', '-inkey', 'pass.key', '-certfile', 'ca.pem', '-name', 'Pass Type ID'];
      return openssl(['pkcs12', '-export', ...parts, ...options], files);
    };

    it.each([
      ['with AES-256 and a SHA-256 MAC', []],
      ['with RC2-40 and 3DES, as Keychain Access exports', ['-legacy']],
      ['with 3DES throughout', ['-legacy', '-descert']],
      ['with many iterations', ['-iter', '100000']],
      ['without a MAC', ['-nomac']],
      ['with nothing encrypted', ['-keypbe', 'NONE', '-certpbe', 'NONE']],
    ])('X509CertificateReader reads a PKCS#12 file %s', async (_, options) => {
      const pkcs12 = made('-passout', 'pass:Sésame öffne dich', ...options);
      expect(await read({ pkcs12, passphrase: 'Sésame öffne dich' })).toMatchObject({
        certificatePem: chain.certificatePem,
        privateKeyPem: chain.privateKeyPem,
        intermediatePem: chain.intermediatePem,
      });
    });

    it.each([[[]], [['-legacy']]])(
      'X509CertificateReader reads a PKCS#12 file with the empty passphrase %j',
      async (options) => {
        const { certificatePem } = await read({ pkcs12: made('-passout', 'pass:', ...options) });
        expect(certificatePem).toBe(chain.certificatePem);
      },
    );

    it('X509CertificateReader rejects a PKCS#12 file with an EC key, because only RSA keys are allowed', async () => {
      const subject = '/UID=pass.com.example.ec/CN=Pass Type ID: pass.com.example.ec/OU=TEAM';
      const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '-'];
      const pem = openssl(['req', '-x509', ...newKey, '-subj', subject]).toString();
      const pkcs12 = openssl(['pkcs12', '-export', '-in', 'both.pem', '-passout', 'pass:x'], { 'both.pem': pem });
      expect(await problemsOf({ pkcs12, passphrase: 'x' })).toContainEqual(
        expect.stringMatching(/^The private key is ec: Apple Wallet takes RSA keys only/),
      );
    });
  });
});
