import { createPrivateKey } from 'node:crypto';
import forge from 'node-forge';
import { describeWithOpenssl, openssl } from '../signer.fixtures.js';
import { X509CertificateReader } from './x509-certificate-reader.js';

const create = (name: string) => new X509CertificateReader().createRequest(name);

describe('createRequest', () => {
  it('createRequest creates a new RSA key of 2048 bits and a request signed with it', async () => {
    const { privateKeyPem, requestPem } = await create('Müller & Söhne 株式会社');
    expect(privateKeyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(createPrivateKey(privateKeyPem).asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 });
    const request = forge.pki.certificationRequestFromPem(requestPem);
    expect(request.verify()).toBe(true);
    expect(commonName(request)).toBe('Müller & Söhne 株式会社');
    expect((await create('x')).privateKeyPem).not.toBe(privateKeyPem);
  });

  it('createRequest truncates a name to 64 characters, the maximum length of a common name', async () => {
    const request = forge.pki.certificationRequestFromPem((await create('é'.repeat(100))).requestPem);
    expect(commonName(request)).toBe('é'.repeat(64));
  });

  describeWithOpenssl('judged by openssl (skipped where it is not installed)', () => {
    it('createRequest creates a key and a request for this key that openssl verifies', async () => {
      const { privateKeyPem, requestPem } = await create('Example Ltd');
      const files = { 'request.pem': requestPem, 'key.pem': privateKeyPem };
      const read = (...args: string[]) => openssl(['req', '-in', 'request.pem', '-verify', '-noout', ...args], files);
      expect(read('-subject').toString()).toContain('CN = Example Ltd');
      expect(read('-pubkey').toString()).toBe(openssl(['pkey', '-in', 'key.pem', '-pubout'], files).toString());
    });
  });
});

/** Decodes the common name: node-forge returns one character per UTF-8 byte. */
function commonName(request: forge.pki.CertificateSigningRequest): string {
  return Buffer.from(String(request.subject.getField('CN').value), 'latin1').toString('utf8');
}
