import type { ApplePem } from '@passwright/core';
import type forge from 'node-forge';
import { aChain, anEcKey, type Chain, NOW, OWNER, reissued, without } from './signer.fixtures.js';
import { certificateOwner } from './certificate-problems.js';
import { loadSigningMaterial } from './signing-material.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('loadSigningMaterial', () => {
  let chain: Chain;
  let other: Chain;

  beforeAll(() => {
    chain = aChain();
    other = aChain();
  });

  const load = (changed: Partial<ApplePem>) => loadSigningMaterial({ ...chain, ...changed });

  it('loadSigningMaterial accepts a pass type certificate with its key and issuer', () => {
    expect(load({}).certificate.fingerprint256).toHaveLength(95);
  });

  it('loadSigningMaterial accepts an encrypted private key only with its passphrase', () => {
    const privateKeyPem = chain.keys.pass
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'sésame' })
      .toString();
    expect(load({ privateKeyPem, passphrase: 'sésame' }).privateKey.asymmetricKeyType).toBe('rsa');
    expect(() => load({ privateKeyPem })).toThrow(/The private key cannot be read/);
    expect(() => load({ privateKeyPem, passphrase: 'no' })).toThrow(/The private key cannot be read/);
  });

  it('loadSigningMaterial accepts PEM inside other text, as in an export from a PKCS#12 file', () => {
    const around = (pem: string) => `Bag Attributes\n    friendlyName: Pass Type ID\nsubject=CN = x\n${pem}\n`;
    expect(() =>
      load({ certificatePem: around(chain.certificatePem), privateKeyPem: around(chain.privateKeyPem) }),
    ).not.toThrow();
  });

  it('loadSigningMaterial reads names with commas, quotes and letters of any script unchanged', () => {
    expect(certificateOwner(load({}).certificate)).toEqual(OWNER);
  });

  it.each<[string, RegExp, () => Partial<ApplePem>]>([
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
    ['no pass signing usage', /is not a pass type certificate/, () => without(chain, '2.5.29.37')],
    ['no pass type marker', /100\.6\.1\.16 is missing/, () => without(chain, '1.2.840.113635.100.6.1.16')],
  ])('loadSigningMaterial rejects %s with an explanation', (_, sentence, changed) => {
    expect(() => load(changed())).toThrow(sentence);
  });

  it('loadSigningMaterial rejects a certificate if its marker and its subject name different pass types', () => {
    const change = (certificate: forge.pki.Certificate) => {
      certificate.subject.attributes[0]!.value = 'pass.com.example.other';
    };
    expect(() => load(reissued(chain, change))).toThrow(
      /says "pass.com.example.dev": it must be the pass type identifier "pass.com.example.other"/,
    );
  });

  it('loadSigningMaterial accepts an expired or future certificate, because the signer checks the dates later', () => {
    for (const days of [-4000, 40_000]) {
      expect(() =>
        loadSigningMaterial(aChain(new Date(NOW.getTime() + days * DAY_MS), OWNER, chain.keys)),
      ).not.toThrow();
    }
  });

  it('loadSigningMaterial lists all mistakes in one message', () => {
    const both = () => load({ privateKeyPem: other.privateKeyPem, intermediatePem: other.intermediatePem });
    expect(both).toThrow(/does not belong[^]*not issued by/);
  });
});
