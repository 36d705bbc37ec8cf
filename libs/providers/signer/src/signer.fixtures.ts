import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountCertificates, type ApplePem, Clock } from '@passwright/core';
import { onceInProcess } from '@passwright/testing';
import forge from 'node-forge';
import {
  type DevelopmentKeys,
  intermediateCertificate,
  passCertificate,
  rootCertificate,
} from './development-certificates.js';
import type { CertificateOwner } from './certificate-problems.js';

/** The moment the chains of these specs begin, and the clock stands. */
export const NOW = new Date('2026-09-28T12:34:56.789Z');

export class FixedClock extends Clock {
  constructor(private readonly at: Date = NOW) {
    super();
  }

  now(): Date {
    return this.at;
  }
}

/** A clock that specs move. */
export class MovedClock extends Clock {
  constructor(public at: Date = NOW) {
    super();
  }

  now(): Date {
    return this.at;
  }
}

/** Certificates of accounts, as the app keeps them. */
export class SomeAccounts extends AccountCertificates {
  private readonly kept = new Map<string, ApplePem | null>();

  set(accountId: string, pem: ApplePem | null): this {
    this.kept.set(accountId, pem);
    return this;
  }

  find(accountId: string): Promise<ApplePem | null> {
    return Promise.resolve(this.kept.get(accountId) ?? null);
  }
}

export const OWNER: CertificateOwner = {
  passTypeIdentifier: 'pass.com.example.dev',
  teamIdentifier: 'DEV0TEAM01',
  organizationName: 'Müller, "Söhne" & 株式会社',
};

/** A chain that begins at `now`, with new keys unless given: the PEM of all three certificates and of the leaf's key. */
export function aChain(now: Date = NOW, owner: CertificateOwner = OWNER, keys: DevelopmentKeys = newKeys()) {
  const pem = {
    certificatePem: passCertificate(keys, owner, now),
    privateKeyPem: keyPem(keys.pass),
    intermediatePem: intermediateCertificate(keys, now),
  } satisfies ApplePem;
  return { ...pem, rootPem: rootCertificate(keys, now), keys };
}

function newKeys(): DevelopmentKeys {
  return { root: anRsaKey(), intermediate: anRsaKey(), pass: anRsaKey() };
}

export type Chain = ReturnType<typeof aChain>;

export function materialOf(pem: ApplePem) {
  return {
    certificate: new X509Certificate(pem.certificatePem),
    intermediate: new X509Certificate(pem.intermediatePem),
    privateKey: createPrivateKey(pem.privateKeyPem),
  };
}

let rsaKeys = 0;

/** Another one at each call of a spec file; the next file of the process begins with the first again: they are slow to make. */
export function anRsaKey(): KeyObject {
  rsaKeys += 1;
  return onceInProcess(`RSA key ${rsaKeys}`, () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
}

export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function anEcKey(): string {
  return keyPem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

/** The leaf without what this OID names in its subject or its extensions. */
export function without(chain: Chain, oid: string): Pick<ApplePem, 'certificatePem'> {
  return reissued(chain, (certificate) => {
    certificate.subject.attributes = certificate.subject.attributes.filter(({ type }) => type !== oid);
    certificate.setExtensions(certificate.extensions.filter((extension) => (extension as { id: string }).id !== oid));
  });
}

/** The leaf signed anew by the same intermediate after a change. */
export function reissued(
  chain: Chain,
  change: (certificate: forge.pki.Certificate) => void,
): Pick<ApplePem, 'certificatePem'> {
  const certificate = forge.pki.certificateFromPem(chain.certificatePem);
  change(certificate);
  const key = forge.pki.privateKeyFromPem(chain.keys.intermediate.export({ type: 'pkcs1', format: 'pem' }).toString());
  certificate.sign(key, forge.md.sha256.create());
  return { certificatePem: forge.pki.certificateToPem(certificate) };
}

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** An empty folder that goes away after the specs of the file. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'passwright-signer-'));
  folders.push(folder);
  return folder;
}

export const describeWithOpenssl = spawnSync('openssl', ['version']).status === 0 ? describe : describe.skip;

/** Runs the openssl command line in a folder of its own with these files in it. @throws with its output when it fails */
export function openssl(args: readonly string[], files: Record<string, string | Uint8Array> = {}): Buffer {
  const cwd = aFolder();
  for (const [name, data] of Object.entries(files)) writeFileSync(join(cwd, name), data);
  return execFileSync('openssl', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
}
