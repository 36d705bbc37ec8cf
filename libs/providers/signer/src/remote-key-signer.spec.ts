import { hash, constants, createPrivateKey, type KeyObject, privateEncrypt } from 'node:crypto';
import { type Clock, WalletUnavailable } from '@passwright/core';
import { DetachedCms } from './detached-cms.js';
import { RemoteKeySigner } from './remote-key-signer.js';
import { aChain, anRsaKey, type Chain, FixedClock, materialOf, MovedClock, NOW } from './signer.fixtures.js';

const manifest = Buffer.from('{"pass.json":"0f3c2e"}');
const sha256Info = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Signs like a key service, which receives only the digest. */
function signedBy(key: KeyObject) {
  return (digest: Buffer): Promise<Uint8Array> =>
    Promise.resolve(privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.concat([sha256Info, digest])));
}

describe('RemoteKeySigner', () => {
  let chain: Chain;
  let key: KeyObject;

  beforeAll(() => {
    chain = aChain();
    key = createPrivateKey(chain.privateKeyPem);
  });

  const signer = (sign: (digest: Buffer) => Promise<Uint8Array>, clock: Clock = new FixedClock(), timeoutMs?: number) =>
    new RemoteKeySigner({ ...chain, sign, timeoutMs }, clock);

  it('RemoteKeySigner sends only a digest to the remote key, and signs as with a local key', async () => {
    const digests: Buffer[] = [];
    const sign = (digest: Buffer) => {
      digests.push(digest);
      return signedBy(key)(digest);
    };
    const signature = await signer(sign).sign('acc_1', manifest);
    expect(Buffer.from(signature)).toEqual(new DetachedCms(materialOf(chain)).signSync(manifest, NOW));
    expect(digests.map(({ length }) => length)).toEqual([hash('sha256', '', 'buffer').length]);
  });

  it('RemoteKeySigner reads the identity from the certificate', async () => {
    expect(await signer(signedBy(key)).identity('acc_1')).toMatchObject({
      passTypeIdentifier: 'pass.com.example.dev',
      teamIdentifier: 'DEV0TEAM01',
      development: true,
    });
  });

  it.each<[string, () => (digest: Buffer) => Promise<Uint8Array>, RegExp]>([
    ['another key signs', () => signedBy(anRsaKey()), /does not belong to the key/],
    ['the response is not a signature', () => () => Promise.resolve(Buffer.from('busy')), /does not belong to the key/],
    [
      'the response is not bytes',
      () => () => Promise.resolve(undefined as unknown as Uint8Array),
      /does not belong to/,
    ],
    ['the key service fails', () => () => Promise.reject(new Error('throttled')), /does not respond/],
    ['the key service is silent', () => () => new Promise(() => undefined), /does not respond/],
  ])('503 wallet_unavailable when %s', async (_, sign, message) => {
    const failed = signer(sign(), new FixedClock(), 20).sign('acc_1', manifest);
    await expect(failed).rejects.toThrow(WalletUnavailable);
    await expect(failed).rejects.toThrow(message);
  });

  it('503 wallet_unavailable outside the validity period of the certificate, without a request to the remote key', async () => {
    const asked = jest.fn(signedBy(key));
    const clock = new MovedClock(new Date('2029-01-01T00:00:00Z'));
    await expect(signer(asked, clock).sign('acc_1', manifest)).rejects.toThrow(/is valid from 20/);
    expect(asked).not.toHaveBeenCalled();
  });

  it('RemoteKeySigner rejects certificates that cannot sign passes, and lists all mistakes', () => {
    const stranger = aChain(NOW, undefined, { root: anRsaKey(), intermediate: anRsaKey(), pass: anRsaKey() });
    const mixed = { certificatePem: chain.certificatePem, intermediatePem: stranger.intermediatePem };
    expect(() => new RemoteKeySigner({ ...mixed, sign: signedBy(key) }, new FixedClock())).toThrow(/not issued by/);
  });
});
