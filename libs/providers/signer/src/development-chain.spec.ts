import { X509Certificate } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevelopmentChainFailed, loadDevelopmentChain } from './development-chain.js';
import { aFolder, describeWithOpenssl, NOW, openssl, OWNER } from './signer.fixtures.js';
import { certificateOwner, dateProblems } from './certificate-problems.js';
import { loadSigningMaterial } from './signing-material.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const chainFolder = () => join(aFolder(), 'data with a space', 'development-chain');
const load = (dir: string, now = NOW) => loadDevelopmentChain({ kind: 'development', dir, ...OWNER }, now);

let made: string;

// Copy one chain for all specs, because creating its three keys is slow.
beforeAll(async () => {
  made = chainFolder();
  await load(made);
});

function madeChain(): string {
  const dir = chainFolder();
  cpSync(made, dir, { recursive: true });
  return dir;
}

describe('loadDevelopmentChain', () => {
  it('loadDevelopmentChain creates a chain that passes every check of a real certificate', async () => {
    const { certificate } = loadSigningMaterial(await load(made));
    expect(dateProblems('It', certificate, NOW)).toEqual([]);
    expect(certificateOwner(certificate)).toEqual(OWNER);
  });

  it('loadDevelopmentChain uses a development owner when none is configured', async () => {
    const { certificatePem } = await loadDevelopmentChain({ kind: 'development', dir: chainFolder() }, NOW);
    expect(certificateOwner(new X509Certificate(certificatePem))).toEqual({
      passTypeIdentifier: 'pass.dev.passwright',
      teamIdentifier: 'DEV0TEAM01',
      organizationName: 'Passwright Development',
    });
  });

  it('loadDevelopmentChain stores root.pem and the other files in its folder, and only the user can read the keys', () => {
    const dir = made;
    const modes = Object.fromEntries(
      readdirSync(dir).map((name) => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)]),
    );
    expect(modes).toEqual({
      'root.pem': '644',
      'intermediate.pem': '644',
      'pass.pem': '644',
      'root.key': '600',
      'intermediate.key': '600',
      'pass.key': '600',
    });
  });

  it('loadDevelopmentChain returns the same chain on every later start', async () => {
    const dir = madeChain();
    const first = await load(dir);
    expect(await load(dir, new Date(NOW.getTime() + 300 * DAY_MS))).toEqual(first);
  });

  it('loadDevelopmentChain creates one chain when four processes start simultaneously', async () => {
    const dir = chainFolder();
    const chains = await Promise.all(Array.from({ length: 4 }, () => load(dir)));
    expect(new Set(chains.map(({ certificatePem }) => certificatePem)).size).toBe(1);
    expect(readdirSync(join(dir, '..'))).toEqual(['development-chain']);
  });

  it('loadDevelopmentChain ignores and removes the leftovers of a killed process', async () => {
    const dir = chainFolder();
    mkdirSync(`${dir}.4711.tmp`, { recursive: true });
    writeFileSync(join(`${dir}.4711.tmp`, 'root.key'), '-----BEGIN PRIV');
    loadSigningMaterial(await load(dir));
    expect(readdirSync(join(dir, '..'))).toEqual(['development-chain']);
  });

  it('loadDevelopmentChain renews a pass certificate that expires soon, under the same root and with the same key', async () => {
    const dir = madeChain();
    const first = await load(dir);
    const root = readFileSync(join(dir, 'root.pem'), 'utf8');
    const later = new Date(NOW.getTime() + 500 * DAY_MS);
    const renewed = await load(dir, later);
    expect(renewed.certificatePem).not.toBe(first.certificatePem);
    expect(renewed).toEqual({ ...first, certificatePem: renewed.certificatePem });
    expect(dateProblems('It', loadSigningMaterial(renewed).certificate, later)).toEqual([]);
    expect(await load(dir, later)).toEqual(renewed);
    expect(readFileSync(join(dir, 'root.pem'), 'utf8')).toBe(root);
    expect(readdirSync(dir)).toHaveLength(6);
  });

  it('loadDevelopmentChain renews the pass certificate when the configured owner changes', async () => {
    const dir = madeChain();
    const identity = { kind: 'development', dir, ...OWNER, passTypeIdentifier: 'pass.com.example.next' } as const;
    const { certificate } = loadSigningMaterial(await loadDevelopmentChain(identity, NOW));
    expect(certificateOwner(certificate).passTypeIdentifier).toBe('pass.com.example.next');
  });

  it('loadDevelopmentChain names the folder to delete when a file of the chain is missing', async () => {
    const dir = madeChain();
    rmSync(join(dir, 'pass.key'));
    await expect(load(dir)).rejects.toThrow(/development chain in .*pass\.key.*Delete that folder/);
  });

  it.each(['pass.pem', 'pass.key', 'intermediate.pem'])(
    'loadDevelopmentChain names the folder to delete when %s is truncated',
    async (name) => {
      const dir = madeChain();
      writeFileSync(join(dir, name), readFileSync(join(dir, name)).subarray(0, 200));
      const failure = await load(dir).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DevelopmentChainFailed);
      expect((failure as Error).message).toMatch(/development chain in .*Delete that folder/);
    },
  );

  describeWithOpenssl('judged by openssl (skipped where it is not installed)', () => {
    it('the development chain has the same subjects and extensions as a chain from Apple', () => {
      const dir = made;
      const text = (name: string) =>
        openssl(['x509', '-in', join(dir, name), '-noout', '-text', '-nameopt', 'RFC2253,utf8,-esc_msb']).toString();
      const pass = text('pass.pem');
      expect(pass).toContain('Pass Type ID: pass.com.example.dev,UID=pass.com.example.dev');
      expect(pass).toContain('OU=DEV0TEAM01');
      expect(pass).toContain('Signature Algorithm: sha256WithRSAEncryption');
      expect(pass).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
      expect(pass).toMatch(/Key Usage: critical\s+Digital Signature\n/);
      expect(pass).toMatch(/TLS Web Client Authentication, 1\.2\.840\.113635\.100\.4\.14/);
      expect(pass).toMatch(/Policy: 1\.2\.840\.113635\.100\.5\.1/);
      expect(pass).toMatch(/1\.2\.840\.113635\.100\.6\.1\.16: *\n\s+\.\.pass\.com\.example\.dev/);
      expect(pass).toMatch(/1\.2\.840\.113635\.100\.6\.3\.2: *\n\s+\.\./);
      const intermediate = text('intermediate.pem');
      expect(intermediate).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
      expect(intermediate).toMatch(/1\.2\.840\.113635\.100\.6\.2\.1: *\n\s+\.\./);
      expect(keyIdentifier(pass, 'Authority')).toBe(keyIdentifier(intermediate, 'Subject'));
      expect(keyIdentifier(intermediate, 'Authority')).toBe(keyIdentifier(text('root.pem'), 'Subject'));
    });

    it('the development chain verifies from leaf to root', () => {
      const dir = made;
      const file = (name: string) => join(dir, name);
      const args = [
        'verify',
        '-attime',
        String(Math.floor(NOW.getTime() / 1000)),
        '-x509_strict',
        '-CAfile',
        file('root.pem'),
      ];
      const output = openssl([...args, '-untrusted', file('intermediate.pem'), file('pass.pem')]);
      expect(output.toString()).toContain(': OK');
    });
  });
});

function keyIdentifier(text: string, whose: 'Subject' | 'Authority'): string | undefined {
  return new RegExp(`X509v3 ${whose} Key Identifier: *\\n\\s+(?:keyid:)?([0-9A-F:]+)`).exec(text)?.[1];
}
