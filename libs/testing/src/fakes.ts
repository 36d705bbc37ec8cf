import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AppleCredentials,
  type AppleCredential,
  BlobStorage,
  Clock,
  Mailer,
  Signer,
  type Mail,
  type OpenBlob,
  type SigningIdentity,
} from '@passwright/core';

/** A clock that always shows the same time until a test moves it. */
export class FixedClock extends Clock {
  private time: number;

  constructor(start: Date | string = '2026-11-20T10:00:00.000Z') {
    super();
    this.time = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.time);
  }

  set(time: Date | string): void {
    this.time = new Date(time).getTime();
  }

  advance(seconds: number): void {
    this.time += seconds * 1000;
  }
}

/** A storage in memory. Like a real storage, it returns copies. */
export class MemoryStorage extends BlobStorage {
  /** The stored blobs by key, for assertions. */
  readonly blobs = new Map<string, { readonly bytes: Uint8Array; readonly contentType: string }>();

  put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    this.blobs.set(key, { bytes: Uint8Array.from(bytes), contentType });
    return Promise.resolve();
  }

  get(key: string): Promise<Uint8Array | null> {
    const blob = this.blobs.get(key);
    return Promise.resolve(blob ? Uint8Array.from(blob.bytes) : null);
  }

  async open(key: string): Promise<OpenBlob | null> {
    const bytes = await this.get(key);
    return bytes && { sizeBytes: bytes.length, stream: Readable.from([Buffer.from(bytes)]) };
  }

  has(key: string): Promise<boolean> {
    return Promise.resolve(this.blobs.has(key));
  }

  delete(key: string): Promise<void> {
    this.blobs.delete(key);
    return Promise.resolve();
  }

  deleteUnder(folder: string, limit: number): Promise<number> {
    const keys = [...this.blobs.keys()].filter((key) => key.startsWith(`${folder}/`)).slice(0, limit);
    for (const key of keys) this.blobs.delete(key);
    return Promise.resolve(keys.length);
  }
}

const fakeIdentity: SigningIdentity = {
  passTypeIdentifier: 'pass.com.example.test',
  teamIdentifier: 'TESTTEAM01',
  organizationName: 'Example Testing',
  fingerprint: '0'.repeat(64),
  expiresAt: new Date('2100-01-01T00:00:00.000Z'),
  development: true,
};

/**
 * Returns one credential for every account, unless a test sets another. It has the identity of `FakeSigner`. Its PEM
 * texts are invalid, so a test that opens a connection must set real ones.
 */
export class FakeCredentials extends AppleCredentials {
  private readonly byAccount = new Map<string, AppleCredential | Error>();
  private readonly everybodys: AppleCredential = {
    ...fakeIdentity,
    certificatePem: 'certificate',
    privateKeyPem: 'private key',
    intermediatePem: 'intermediate',
  };

  /** Sets the credential of an account, or the error with which `of` rejects. Null restores the default. */
  set(accountId: string, credential: Partial<AppleCredential> | Error | null): void {
    if (credential === null) this.byAccount.delete(accountId);
    else if (credential instanceof Error) this.byAccount.set(accountId, credential);
    else this.byAccount.set(accountId, { ...this.everybodys, ...credential });
  }

  of(accountId: string): Promise<AppleCredential> {
    const credential = this.byAccount.get(accountId) ?? this.everybodys;
    return credential instanceof Error ? Promise.reject(credential) : Promise.resolve(credential);
  }
}

/**
 * A signer without a key. The 32 bytes depend only on the account and the manifest. They are not a CMS signature, so a
 * test that verifies signatures must use the real signer.
 */
export class FakeSigner extends Signer {
  constructor(private readonly certificate: Partial<SigningIdentity> = {}) {
    super();
  }

  identity(_accountId: string): Promise<SigningIdentity> {
    return Promise.resolve({ ...fakeIdentity, ...this.certificate });
  }

  sign(accountId: string, manifest: Uint8Array): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(createHash('sha256').update(`${accountId}\n`).update(manifest).digest()));
  }
}

/** A mailer that records e-mails instead of sending them. */
export class RecordingMailer extends Mailer {
  /** The accepted mails, oldest first. */
  readonly sent: Mail[] = [];
  private readonly failures: Error[] = [];

  /** Makes the next `send` fail with this error. Each call makes one more `send` fail. */
  failNext(error = new Error('The mail server does not take it')): void {
    this.failures.push(error);
  }

  send(mail: Mail): Promise<void> {
    const failure = this.failures.shift();
    if (failure) return Promise.reject(failure);
    this.sent.push({ ...mail });
    return Promise.resolve();
  }

  /** Returns the mails to one address. */
  to(address: string): Mail[] {
    return this.sent.filter((mail) => mail.to === address);
  }
}
