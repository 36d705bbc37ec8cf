import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountCertificates, type ApplePem, Clock, TestAccounts } from '@passwright/core';
import { onceInProcess } from '@passwright/testing';
import forge from 'node-forge';
import {
  type DevelopmentKeys,
  intermediateCertificate,
  passCertificate,
  rootCertificate,
} from './development-certificates.js';
import type { CertificateOwner } from './certificate-problems.js';

/** The fixed time of the clock in these specs. Their certificate chains are valid from this time. */
export const NOW = new Date('2026-09-28T12:34:56.789Z');

export class FixedClock extends Clock {
  constructor(private readonly at: Date = NOW) {
    super();
  }

  now(): Date {
    return this.at;
  }
}

/** A clock that specs can move. */
export class MovedClock extends Clock {
  constructor(public at: Date = NOW) {
    super();
  }

  now(): Date {
    return this.at;
  }
}

/** Account certificates held in memory. */
export class SomeAccounts extends AccountCertificates {
  private readonly stored = new Map<string, ApplePem | null>();

  set(accountId: string, pem: ApplePem | null): this {
    this.stored.set(accountId, pem);
    return this;
  }

  find(accountId: string): Promise<ApplePem | null> {
    return Promise.resolve(this.stored.get(accountId) ?? null);
  }
}

/** Test accounts, by id. */
export class SomeTestAccounts extends TestAccounts {
  private readonly ids: ReadonlySet<string>;

  constructor(...ids: string[]) {
    super();
    this.ids = new Set(ids);
  }

  has(accountId: string): Promise<boolean> {
    return Promise.resolve(this.ids.has(accountId));
  }
}

export const OWNER: CertificateOwner = {
  passTypeIdentifier: 'pass.com.example.dev',
  teamIdentifier: 'DEV0TEAM01',
  organizationName: 'Müller, "Söhne" & 株式会社',
};

/**
 * Creates a chain that is valid from `now` on, with the given keys or new ones.
 * @returns PEM of the three certificates and of the leaf's key
 */
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

/** Returns a different key at each call. Spec files share these keys, because keys are slow to generate. */
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

/** Returns the leaf certificate without the subject field or extension that has this OID. */
export function without(chain: Chain, oid: string): Pick<ApplePem, 'certificatePem'> {
  return reissued(chain, (certificate) => {
    certificate.subject.attributes = certificate.subject.attributes.filter(({ type }) => type !== oid);
    certificate.setExtensions(certificate.extensions.filter((extension) => (extension as { id: string }).id !== oid));
  });
}

/** Changes the leaf certificate and signs it again with the same intermediate. */
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

/** Creates an empty folder that is removed after the specs of the file. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'passwright-signer-'));
  folders.push(folder);
  return folder;
}

export const describeWithOpenssl = spawnSync('openssl', ['version']).status === 0 ? describe : describe.skip;

/** Runs openssl in a new folder that contains these files. @throws an error with the output if openssl fails */
export function openssl(args: readonly string[], files: Record<string, string | Uint8Array> = {}): Buffer {
  const cwd = aFolder();
  for (const [name, data] of Object.entries(files)) writeFileSync(join(cwd, name), data);
  return execFileSync('openssl', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
}
