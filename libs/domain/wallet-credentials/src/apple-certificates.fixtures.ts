import { createHash, randomUUID } from 'node:crypto';
import { Injectable, type DynamicModule } from '@nestjs/common';
import {
  CertificateReader,
  CertificateRejected,
  Signer,
  WalletUnavailable,
  type CertificateUpload,
  type MasterKey,
  type ReadCertificate,
  type SigningIdentity,
  Listens,
  StoredSecretsListener,
} from '@passwright/core';
import type { Circuit } from '@passwright/jobs';
import { RecordingMailer, type FixedClock } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { CredentialsNode, type Call, type Registered } from './credentials-node.fixtures.js';
import { ServiceAccountSecretsListener } from './google-service-accounts/service-account-secrets.listener.js';
import { EncryptedSecretsModule } from './encrypted-secrets.module.js';
import { AppleCertificateListener } from './apple-certificates/apple-certificate.listener.js';
import { AppleCertificatesModule } from './apple-certificates.module.js';

/** The content of a sample certificate that tests use instead of a real certificate. */
export interface SampleCertificate {
  readonly passType: string;
  readonly team: string;
  readonly organization: string;
  readonly expiresAt: string;
  readonly development: boolean;
  /** The private key of the certificate. */
  readonly key: string;
}

export const PATH = '/v1/account/walletA';

export function aCertificate(changes: Partial<SampleCertificate> = {}): SampleCertificate {
  return {
    passType: 'pass.com.example.club',
    team: 'TEAM000001',
    organization: 'Example Club',
    expiresAt: '2027-12-20T10:00:00.000Z',
    development: false,
    key: `key-${randomUUID()}`,
    ...changes,
  };
}

const armoured = (label: string, text: string) => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64');

/** Returns the certificate as PEM text. */
export const pemOf = (certificate: SampleCertificate) => armoured('CERTIFICATE', encoded(certificate));
/** Returns the certificate's private key as PEM text. */
export const keyOf = ({ key }: SampleCertificate) => armoured('PRIVATE KEY', key);
export const pairOf = (certificate: SampleCertificate) => ({
  certificate: pemOf(certificate),
  privateKey: keyOf(certificate),
});
/** Returns a PKCS#12 file in base64. */
export const p12Of = (certificate: SampleCertificate, passphrase = '') => encoded({ certificate, passphrase });

/** Reads sample certificates. Rejects invalid certificates, like a real reader. */
class SampleReader extends CertificateReader {
  requests: string[] = [];

  read(upload: CertificateUpload, now: Date): Promise<ReadCertificate> {
    // Errors inside `then` become rejections, like those of a real reader.
    return Promise.resolve().then(() => this.readNow(upload, now));
  }

  createRequest(commonName: string): Promise<{ privateKeyPem: string; requestPem: string }> {
    const key = `requested-${randomUUID()}`;
    this.requests.push(commonName);
    return Promise.resolve({
      privateKeyPem: armoured('PRIVATE KEY', key),
      requestPem: armoured('CERTIFICATE REQUEST', encoded({ keyHash: hash(key), commonName })),
    });
  }

  private readNow(upload: CertificateUpload, now: Date): ReadCertificate {
    const { certificate, privateKeyPem } = upload.pkcs12 ? openP12(upload) : fromPair(upload);
    const problems: string[] = [];
    if (!privateKeyPem.includes(certificate.key)) problems.push('The private key does not belong to the certificate.');
    if (new Date(certificate.expiresAt) < now) problems.push(`The certificate expired on ${certificate.expiresAt}.`);
    if (problems.length > 0) throw new CertificateRejected(problems);
    return {
      certificatePem: pemOf(certificate),
      privateKeyPem,
      intermediatePem: upload.intermediate ?? armoured('CERTIFICATE', 'bundled'),
      passTypeIdentifier: certificate.passType,
      teamIdentifier: certificate.team,
      organizationName: certificate.organization,
      fingerprint: hash(encoded(certificate)),
      expiresAt: new Date(certificate.expiresAt),
      development: certificate.development,
    };
  }
}

function openP12({ pkcs12, passphrase = '' }: CertificateUpload) {
  const file = parsed(Buffer.from(pkcs12 ?? []).toString(), 'The PKCS#12 file cannot be read.');
  if (file.passphrase !== passphrase) throw new CertificateRejected(['The passphrase does not open the PKCS#12 file.']);
  const certificate = file.certificate as SampleCertificate;
  return { certificate, privateKeyPem: keyOf(certificate) };
}

function fromPair({ certificate = '', privateKey }: CertificateUpload) {
  const pem = typeof certificate === 'string' ? certificate : Buffer.from(certificate).toString('latin1');
  const key = privateKey ?? /-----BEGIN PRIVATE KEY-----\s[\s\S]+?-----END PRIVATE KEY-----\s*/.exec(pem)?.[0];
  if (key === undefined) throw new CertificateRejected(['The private key is missing.']);
  const body = /-----BEGIN CERTIFICATE-----\s+(\S+)/.exec(pem)?.[1] ?? Buffer.from(pem, 'latin1').toString('base64');
  const json = Buffer.from(body, 'base64').toString();
  const read = parsed(json, 'The certificate cannot be read.') as unknown as SampleCertificate;
  return { certificate: read, privateKeyPem: key };
}

function parsed(json: string, rejection: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    throw new CertificateRejected([rejection]);
  }
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Signs with the operator's certificate, which expires. */
class OperatorsSigner extends Signer {
  constructor(
    private readonly operator: SigningIdentity,
    private readonly clock: () => Date,
  ) {
    super();
  }

  identity(accountId: string): Promise<SigningIdentity> {
    if (accountId !== '') return Promise.reject(new Error("asked for an account's own"));
    if (this.clock() <= this.operator.expiresAt) return Promise.resolve(this.operator);
    return Promise.reject(new WalletUnavailable("The operator's certificate has expired."));
  }

  sign(): Promise<Uint8Array> {
    return Promise.reject(new Error('nothing is signed here'));
  }
}

/** Reports devices and open circuits, like the lib that depends on this one. */
@Injectable()
@Listens(AppleCertificateListener)
class DevicesOfTests extends AppleCertificateListener {
  constructor(private readonly source: DataSource) {
    super();
  }

  async countDevices(tx: EntityManager, ...values: [string, string]): Promise<number> {
    const sql = 'SELECT count(*)::int AS count FROM apple_device WHERE account_id = $1 AND pass_type_identifier = $2';
    const [row] = await tx.query<[{ count: number }]>(sql, values);
    return row.count;
  }

  async findOtherPassType(tx: EntityManager, ...values: [string, string]): Promise<string | null> {
    const sql = `SELECT pass_type_identifier AS "passType" FROM apple_device
      WHERE account_id = $1 AND pass_type_identifier <> $2 LIMIT 1`;
    const [row] = await tx.query<{ passType: string }[]>(sql, values);
    return row?.passType ?? null;
  }

  async findCircuit(...values: [string, string]): Promise<Circuit | null> {
    const sql = `SELECT account_id AS "accountId", fingerprint, reason, since, retry_at AS "retryAt" FROM circuit_breaker
      WHERE account_id IN ('', $1) AND fingerprint = $2 AND receiver = 'apple' ORDER BY account_id LIMIT 1`;
    const [circuit] = await this.source.query<Circuit[]>(sql, values);
    return circuit ?? null;
  }
}

/** Stands in for the listener of another lib, which lists the secrets of that lib. */
@Injectable()
@Listens(StoredSecretsListener)
class SecretsOfWebhooks extends StoredSecretsListener {
  override readonly columns = ['secret', 'previous_secret'].map((column) => ({
    purpose: 'webhook-secret',
    table: 'webhook',
    column,
    idColumn: 'id',
  }));
}

export const masterKey = (id: string): MasterKey => ({ id, key: createHash('sha256').update(id).digest() });

export interface NodeSettings {
  readonly operator?: Partial<SigningIdentity>;
  readonly masterKeys?: readonly MasterKey[];
  readonly operatorEmail?: string;
  /** True if the node runs jobs. */
  readonly run?: boolean;
}

/** A node with accounts and their certificates, on this worker's database. */
export class CertificatesNode {
  readonly mailer = new RecordingMailer();
  readonly reader = new SampleReader();
  private node!: CredentialsNode;

  static async start(settings: NodeSettings = {}): Promise<CertificatesNode> {
    const started = new CertificatesNode();
    const operator: SigningIdentity = {
      passTypeIdentifier: 'pass.com.example.operator',
      teamIdentifier: 'OPERATOR01',
      organizationName: 'The Operator',
      fingerprint: hash(randomUUID()),
      expiresAt: new Date('2100-01-01T00:00:00.000Z'),
      development: false,
      ...settings.operator,
    };
    class Providers {}
    const providers: DynamicModule = {
      module: Providers,
      global: true,
      providers: [
        ...[DevicesOfTests, SecretsOfWebhooks, ServiceAccountSecretsListener],
        { provide: CertificateReader, useValue: started.reader },
        // The node needs the signer during its start, before the clock exists.
        { provide: Signer, useValue: new OperatorsSigner(operator, () => started.now()) },
      ],
      exports: [CertificateReader, Signer],
    };
    const more = [
      providers,
      EncryptedSecretsModule.forRoot({ masterKeys: settings.masterKeys ?? [masterKey('first')] }),
      AppleCertificatesModule.forRoot({
        baseUrl: 'https://passes.example.com',
        operatorEmail: settings.operatorEmail,
      }),
    ];
    started.node = await CredentialsNode.start({ more, mailer: started.mailer, run: settings.run });
    return started;
  }

  get clock(): FixedClock {
    return this.node.clock;
  }

  get<T>(token: abstract new (...args: never[]) => T): T {
    return this.node.app.get<T>(token);
  }

  stop(): Promise<void> {
    return this.node.stop();
  }

  register(changes: object = {}): Promise<Registered> {
    return this.node.register(changes);
  }

  createKey(user: Registered, body: object): Promise<{ id: string; key: string }> {
    return this.node.createKey(user, body);
  }

  call(method: 'get' | 'post' | 'put' | 'delete', path: string, call: Call) {
    return this.node.call(method, path, call);
  }

  save({ accessToken: token }: Registered, body: object) {
    return this.call('put', PATH, { token, body });
  }

  /** Registers a device for passes of an account. */
  async registerDevice({ accountId }: Registered, passType: string): Promise<void> {
    await this.sql(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       VALUES ($1, $2, $3, $2, 'token', now())`,
      [accountId, randomUUID(), passType],
    );
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- rows as they are
  sql(text: string, values: unknown[]): Promise<any[]> {
    return this.get(DataSource).query(text, values);
  }

  private now(): Date {
    return this.node?.clock.now() ?? new Date(0);
  }
}
