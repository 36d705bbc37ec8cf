import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';
import { aChain, type Chain, keyPem, NOW, OWNER } from './signer.fixtures.js';
import { certificateOwner, loadSigningMaterial, type SigningPem } from './signing-material.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('loadSigningMaterial', () => {
  let chain: Chain;
  let other: Chain;

  beforeAll(() => {
    chain = aChain();
    other = aChain();
  });

  const load = (changed: Partial<SigningPem>, now = NOW) => loadSigningMaterial({ ...chain, ...changed }, now);

  it('takes a pass type certificate with its key and issuer', () => {
    expect(load({}).certificate.fingerprint256).toHaveLength(95);
  });

  it('takes an encrypted private key with its passphrase, and refuses it without', () => {
    const privateKeyPem = chain.keys.pass
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'sésame' })
      .toString();
    expect(load({ privateKeyPem, passphrase: 'sésame' }).privateKey.asymmetricKeyType).toBe('rsa');
    expect(() => load({ privateKeyPem })).toThrow(/The private key cannot be read/);
    expect(() => load({ privateKeyPem, passphrase: 'no' })).toThrow(/The private key cannot be read/);
  });

  it('takes PEM with the text around it that an exported PKCS#12 file leaves', () => {
    const around = (pem: string) => `Bag Attributes\n    friendlyName: Pass Type ID\nsubject=CN = x\n${pem}\n`;
    expect(() =>
      load({ certificatePem: around(chain.certificatePem), privateKeyPem: around(chain.privateKeyPem) }),
    ).not.toThrow();
  });

  it('reads names with commas, quotes and any script as they are', () => {
    expect(certificateOwner(load({}).certificate)).toEqual(OWNER);
  });

  it.each<[string, RegExp, () => Partial<SigningPem>]>([
    ['another key', /private key does not belong to the certificate/, () => ({ privateKeyPem: other.privateKeyPem })],
    ['an EC key', /private key is ec: Apple Wallet takes RSA keys only/, () => ({ privateKeyPem: anEcKey() })],
    [
      "another chain's intermediate",
      /not issued by this intermediate/,
      () => ({ intermediatePem: other.intermediatePem }),
    ],
    [
      'the leaf as intermediate',
      /not that of a certificate authority/,
      () => ({ intermediatePem: chain.certificatePem }),
    ],
    ['no certificate', /certificate cannot be read/, () => ({ certificatePem: 'not PEM' })],
    ['no intermediate', /intermediate certificate cannot be read/, () => ({ intermediatePem: '' })],
    ['no key', /private key cannot be read/, () => ({ privateKeyPem: '' })],
    ['no pass type', /names no pass type identifier/, () => without(chain, '0.9.2342.19200300.100.1.1')],
    ['no team', /names no team identifier/, () => without(chain, '2.5.4.11')],
    ['no pass signing usage', /not for signing passes/, () => without(chain, '2.5.29.37')],
    ['no pass type marker', /100\.6\.1\.16 is missing/, () => without(chain, '1.2.840.113635.100.6.1.16')],
  ])('refuses %s, and says so', (_, sentence, changed) => {
    expect(() => load(changed())).toThrow(sentence);
  });

  it('refuses a marker that names another pass type than the subject', () => {
    const change = (certificate: forge.pki.Certificate) => {
      certificate.subject.attributes[0]!.value = 'pass.com.example.other';
    };
    expect(() => load(reissued(chain, change))).toThrow(
      /says "pass.com.example.dev": it must be the pass type identifier "pass.com.example.other"/,
    );
  });

  it('refuses a certificate that has ended, or not begun, with its dates and the clock', () => {
    const late = new Date(NOW.getTime() + 396 * DAY_MS);
    expect(() => load({}, late)).toThrow(/The certificate is not valid now: .* to 2027-10-28T11:34:56\.000Z/);
    const early = new Date(NOW.getTime() - DAY_MS);
    expect(() => load({}, early)).toThrow(/The intermediate certificate is not valid now: .* clock says 2026-09-27T12/);
  });

  it('lists everything that is wrong in one message', () => {
    const late = new Date(NOW.getTime() + 396 * DAY_MS);
    const load3 = () => load({ privateKeyPem: other.privateKeyPem, intermediatePem: other.intermediatePem }, late);
    expect(load3).toThrow(/does not belong[^]*not issued by[^]*not valid now/);
  });
});

function anEcKey(): string {
  return keyPem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

function without(chain: Chain, oid: string): Partial<SigningPem> {
  return reissued(chain, (certificate) => {
    certificate.subject.attributes = certificate.subject.attributes.filter(({ type }) => type !== oid);
    certificate.setExtensions(certificate.extensions.filter((extension) => (extension as { id: string }).id !== oid));
  });
}

/** The leaf signed anew by the same intermediate after a change. */
function reissued(chain: Chain, change: (certificate: forge.pki.Certificate) => void): Partial<SigningPem> {
  const certificate = forge.pki.certificateFromPem(chain.certificatePem);
  change(certificate);
  const key = forge.pki.privateKeyFromPem(chain.keys.intermediate.export({ type: 'pkcs1', format: 'pem' }).toString());
  certificate.sign(key, forge.md.sha256.create());
  return { certificatePem: forge.pki.certificateToPem(certificate) };
}
