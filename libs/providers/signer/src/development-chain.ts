import { createPrivateKey, generateKeyPair, type KeyObject, randomUUID, X509Certificate } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ApplePem } from '@passwright/core/plain';
import { certificateOwner, type CertificateOwner, validity } from './certificate-problems.js';
import type { DevelopmentKeys } from './development-certificates.js';
import type { DevelopmentIdentity } from './signer.options.js';

/** A start renews a pass certificate that expires within 30 days, because the process may run for long. */
const RENEWAL_MS = 30 * 24 * 60 * 60 * 1000;

/** Loads node-forge only when a chain is created, because that takes about 30 ms. */
const certificates = () => import('./development-certificates.js');

/** The development chain cannot be used. The message names its folder and the remedy. */
export class DevelopmentChainFailed extends Error {
  constructor(dir: string, cause: unknown) {
    super(
      `The development chain in ${dir} cannot be read (${String(cause)}). Delete that folder to have a new chain made: ` +
        'passes signed with the old one will no longer verify against its root.',
      { cause },
    );
    this.name = 'DevelopmentChainFailed';
  }
}

/**
 * Loads the development chain in `identity.dir`, and creates it on first use: `root.pem`, `intermediate.pem` and
 * `pass.pem`, each with its `.key` (mode 0600). Renews the pass certificate under the same root a month before it
 * expires, and when the configured owner changes. Several processes may start simultaneously, because the chain is
 * always complete or absent.
 * @throws DevelopmentChainFailed if files of an existing chain are missing or damaged
 */
export async function loadDevelopmentChain(identity: DevelopmentIdentity, now: Date): Promise<ApplePem> {
  const { dir } = identity;
  const owner = {
    passTypeIdentifier: identity.passTypeIdentifier ?? 'pass.dev.passwright',
    teamIdentifier: identity.teamIdentifier ?? 'DEV0TEAM01',
    organizationName: identity.organizationName ?? 'Passwright Development',
  };
  if (!(await exists(dir))) await createChain(dir, owner, now);
  const chain = await readChain(dir);
  return isCurrent(chain.certificatePem, owner, now) ? chain : renewPassCertificate(dir, chain, owner, now);
}

async function createChain(dir: string, owner: CertificateOwner, now: Date): Promise<void> {
  const sideFolder = `${dir}.${randomUUID()}.tmp`;
  try {
    const [root, intermediate, pass] = await Promise.all([generateKey(), generateKey(), generateKey()]);
    const keys = { root, intermediate, pass };
    const { rootCertificate, intermediateCertificate, passCertificate } = await certificates();
    await mkdir(sideFolder, { recursive: true });
    await writeFiles(sideFolder, {
      'root.key': keyPem(root),
      'intermediate.key': keyPem(intermediate),
      'pass.key': keyPem(pass),
      'root.pem': rootCertificate(keys, now),
      'intermediate.pem': intermediateCertificate(keys, now),
      'pass.pem': passCertificate(keys, owner, now),
    });
    await rename(sideFolder, dir);
  } catch (error) {
    await rm(sideFolder, { recursive: true, force: true });
    // Another process was first, so use its chain.
    if (await exists(dir)) return;
    throw error;
  }
  await removeSideFolders(dir);
}

/** Removes temporary folders of processes that were killed, or that came too late to create the chain. */
async function removeSideFolders(dir: string): Promise<void> {
  const parent = dirname(dir);
  const left = (await readdir(parent)).filter((name) => name.startsWith(`${basename(dir)}.`) && name.endsWith('.tmp'));
  // Ignore a folder that another process is still writing. That process removes it.
  await Promise.allSettled(left.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}

/**
 * Renews the certificate and keeps the key. Replaces a single file, so processes with the old certificate can still
 * sign.
 */
async function renewPassCertificate(
  dir: string,
  chain: ApplePem,
  owner: CertificateOwner,
  now: Date,
): Promise<ApplePem> {
  const [root, intermediate, pass] = await Promise.all(
    ['root.key', 'intermediate.key', 'pass.key'].map(async (name) => createPrivateKey(await readPem(dir, name))),
  );
  const { passCertificate } = await certificates();
  const certificatePem = passCertificate({ root, intermediate, pass } as DevelopmentKeys, owner, now);
  const sideFile = `pass.pem.${randomUUID()}.tmp`;
  await writeFiles(dir, { [sideFile]: certificatePem });
  await rename(join(dir, sideFile), join(dir, 'pass.pem'));
  return { ...chain, certificatePem };
}

async function readChain(dir: string): Promise<ApplePem> {
  const [certificatePem, privateKeyPem, intermediatePem] = await Promise.all([
    readPem(dir, 'pass.pem'),
    readPem(dir, 'pass.key'),
    readPem(dir, 'intermediate.pem'),
  ]);
  try {
    for (const pem of [certificatePem, intermediatePem]) new X509Certificate(pem);
    createPrivateKey(privateKeyPem);
  } catch (error) {
    throw new DevelopmentChainFailed(dir, error);
  }
  return { certificatePem, privateKeyPem, intermediatePem };
}

async function readPem(dir: string, name: string): Promise<string> {
  try {
    return await readFile(join(dir, name), 'utf8');
  } catch (error) {
    throw new DevelopmentChainFailed(dir, error);
  }
}

function isCurrent(certificatePem: string, owner: CertificateOwner, now: Date): boolean {
  const certificate = new X509Certificate(certificatePem);
  const { from, to } = validity(certificate);
  const is = certificateOwner(certificate);
  return (
    from <= now &&
    to.getTime() - now.getTime() > RENEWAL_MS &&
    is.passTypeIdentifier === owner.passTypeIdentifier &&
    is.teamIdentifier === owner.teamIdentifier &&
    is.organizationName === owner.organizationName
  );
}

/**
 * Writes certificates, and keys that only this user can read. Flushes the files to disk, so that a crash loses none of
 * them.
 */
async function writeFiles(dir: string, files: Record<string, string>): Promise<void> {
  const modeOf = (name: string) => (name.endsWith('.key') ? 0o600 : 0o644);
  await Promise.all(
    Object.entries(files).map(([name, pem]) => writeFile(join(dir, name), pem, { mode: modeOf(name), flush: true })),
  );
}

async function exists(dir: string): Promise<boolean> {
  return readdir(dir).then(
    (names) => names.length > 0,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

async function generateKey(): Promise<KeyObject> {
  return (await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })).privateKey;
}

function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
