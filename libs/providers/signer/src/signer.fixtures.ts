import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '@passwright/core';
import {
  type DevelopmentKeys,
  intermediateCertificate,
  passCertificate,
  rootCertificate,
} from './development-certificates.js';
import type { CertificateOwner, SigningPem } from './signing-material.js';

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

export const OWNER: CertificateOwner = {
  passTypeIdentifier: 'pass.com.example.dev',
  teamIdentifier: 'DEV0TEAM01',
  organizationName: 'Müller, "Söhne" & 株式会社',
};

/** A chain that begins at `now`, with new keys: the PEM of all three certificates and of the leaf's key. */
export function aChain(now: Date = NOW, owner: CertificateOwner = OWNER) {
  const keys: DevelopmentKeys = { root: anRsaKey(), intermediate: anRsaKey(), pass: anRsaKey() };
  const pem = {
    certificatePem: passCertificate(keys, owner, now),
    privateKeyPem: keyPem(keys.pass),
    intermediatePem: intermediateCertificate(keys, now),
  } satisfies SigningPem;
  return { ...pem, rootPem: rootCertificate(keys, now), keys };
}

export type Chain = ReturnType<typeof aChain>;

export function materialOf(pem: SigningPem) {
  return {
    certificate: new X509Certificate(pem.certificatePem),
    intermediate: new X509Certificate(pem.intermediatePem),
    privateKey: createPrivateKey(pem.privateKeyPem),
  };
}

export function anRsaKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}

export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
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
