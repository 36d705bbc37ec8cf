import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Injectable, type DynamicModule } from '@nestjs/common';
import {
  AccountServiceAccounts,
  GoogleWallet,
  type GoogleIdentity,
  type GoogleServiceAccount,
  type MasterKey,
  Listens,
} from '@passwright/core';
import type { Circuit } from '@passwright/jobs';
import { onceInProcess } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { CredentialsNode, type Registered } from './credentials-node.fixtures.js';
import { EncryptedSecretsModule } from './encrypted-secrets.module.js';
import { GoogleIssuerListener } from './google-service-accounts/google-issuer.listener.js';
import { GoogleServiceAccountsModule } from './google-service-accounts.module.js';

export const PATH = '/v1/account/walletB';
export const ISSUER = '3388000000011111111';
export const OTHER_ISSUER = '3388000000022222222';
export const operator: GoogleIdentity = {
  issuerId: '3388000000099999999',
  clientEmail: 'operator@project.iam.gserviceaccount.com',
  fingerprint: 'the operator’s',
  development: false,
};

/** Returns an RSA key of this size, always the same key for the same name. */
export function rsaKey(name: string, modulusLength = 2048): KeyObject {
  return onceInProcess(
    `google key ${name} ${modulusLength}`,
    () => generateKeyPairSync('rsa', { modulusLength }).privateKey,
  );
}

export const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Builds a key file like Google's. */
export function aKeyFile(changes: object = {}) {
  return {
    type: 'service_account',
    project_id: 'example-club',
    private_key_id: '0123456789abcdef0123456789abcdef01234567',
    private_key: pkcs8(rsaKey('first')),
    client_email: 'passes@example-club.iam.gserviceaccount.com',
    client_id: '112233445566778899001',
    auth_uri: 'https://accounts.google.com/o/oauth2/auth',
    token_uri: 'https://oauth2.googleapis.com/token',
    universe_domain: 'googleapis.com',
    ...changes,
  };
}

/** Returns the fingerprint of a credential, which changes with its key. */
export const fingerprintOf = ({
  clientEmail,
  privateKeyPem,
}: Pick<GoogleServiceAccount, 'clientEmail' | 'privateKeyPem'>) =>
  createHash('sha256').update(`${clientEmail}\n${privateKeyPem}`).digest('hex');

/** Finds credentials like the real gateway, and returns scripted results for checks. */
class ScriptedGoogle extends GoogleWallet {
  readonly checked: GoogleServiceAccount[] = [];
  respond: () => Promise<string | null> = () => Promise.resolve(null);

  constructor(
    private readonly accounts: AccountServiceAccounts,
    private readonly operators: GoogleIdentity,
  ) {
    super();
  }

  async identity(accountId: string): Promise<GoogleIdentity> {
    const own = await this.accounts.find(accountId);
    if (!own) return this.operators;
    const { issuerId, clientEmail } = own;
    return { issuerId, clientEmail, fingerprint: fingerprintOf(own), development: false };
  }

  check(serviceAccount: GoogleServiceAccount): Promise<string | null> {
    this.checked.push(serviceAccount);
    return this.respond();
  }

  write(): Promise<never> {
    return Promise.reject(new Error('nothing is written here'));
  }

  saveLink(): Promise<never> {
    return Promise.reject(new Error('no link is signed here'));
  }

  readCallback(): Promise<never> {
    return Promise.reject(new Error('no callback is read here'));
  }
}

/** Reports resources and open circuits, like the lib that depends on this one. */
@Injectable()
@Listens(GoogleIssuerListener)
class ResourcesOfTests extends GoogleIssuerListener {
  constructor(private readonly source: DataSource) {
    super();
  }

  async findOtherIssuer(tx: EntityManager, ...values: [string, string]): Promise<string | null> {
    const sql = `SELECT issuer_id AS "issuerId" FROM google_resource
      WHERE account_id = $1 AND issuer_id <> $2 AND sent_hash IS NOT NULL LIMIT 1`;
    const [row] = await tx.query<{ issuerId: string }[]>(sql, values);
    return row?.issuerId ?? null;
  }

  async findCircuit(...values: [string, string]): Promise<Circuit | null> {
    const sql = `SELECT account_id AS "accountId", fingerprint, reason, since, retry_at AS "retryAt" FROM circuit_breaker
      WHERE account_id IN ('', $1) AND fingerprint = $2 AND receiver = 'google' ORDER BY account_id LIMIT 1`;
    const [circuit] = await this.source.query<Circuit[]>(sql, values);
    return circuit ?? null;
  }
}

export interface NodeSettings {
  readonly operator?: GoogleIdentity;
  readonly masterKeys?: readonly MasterKey[];
}

export const masterKey = (id: string): MasterKey => ({ id, key: createHash('sha256').update(id).digest() });

/** A node with accounts and their service accounts, on the database of this test worker. */
export class ServiceAccountsNode {
  private constructor(private readonly node: CredentialsNode) {}

  static async start(settings: NodeSettings = {}): Promise<ServiceAccountsNode> {
    class Providers {}
    const providers: DynamicModule = {
      module: Providers,
      global: true,
      providers: [
        ResourcesOfTests,
        {
          provide: GoogleWallet,
          inject: [AccountServiceAccounts],
          useFactory: (accounts: AccountServiceAccounts) => new ScriptedGoogle(accounts, settings.operator ?? operator),
        },
      ],
      exports: [GoogleWallet],
    };
    const more = [
      providers,
      EncryptedSecretsModule.forRoot({ masterKeys: settings.masterKeys ?? [masterKey('first')] }),
      GoogleServiceAccountsModule.forRoot({}),
    ];
    return new ServiceAccountsNode(await CredentialsNode.start({ more }));
  }

  get clock() {
    return this.node.clock;
  }

  get google(): ScriptedGoogle {
    return this.node.app.get(GoogleWallet);
  }

  stop(): Promise<void> {
    return this.node.stop();
  }

  register(): Promise<Registered> {
    return this.node.register();
  }

  createKey(user: Registered, body: object): Promise<{ id: string; key: string }> {
    return this.node.createKey(user, body);
  }

  call(method: 'get' | 'put' | 'delete', token: string, body?: object) {
    return this.node.call(method, PATH, { token, body });
  }

  read({ accessToken }: Registered) {
    return this.call('get', accessToken);
  }

  save({ accessToken }: Registered, changes: object = {}) {
    return this.call('put', accessToken, { issuerId: ISSUER, serviceAccount: aKeyFile(), ...changes });
  }

  remove({ accessToken }: Registered) {
    return this.call('delete', accessToken);
  }

  find({ accountId }: Registered): Promise<GoogleServiceAccount | null> {
    return this.node.app.get(AccountServiceAccounts).find(accountId);
  }

  /** Adds a class that exists at Google. Without `sent`, the class is still waiting to be sent. */
  async addResource({ accountId }: Registered, issuerId: string, sent = true): Promise<void> {
    await this.sql(
      `INSERT INTO google_resource (account_id, issuer_id, id, template_id, type, sent_hash, created_at)
       VALUES ($1, $2, 'class', 'summer', 'offer', $3, now())`,
      [accountId, issuerId, sent ? Buffer.alloc(32) : null],
    );
  }

  /**
   * Simulates that Google rejects a credential. @param owner the account; empty for all accounts that use the
   * credential
   */
  async openCircuit(owner: string, fingerprint: string): Promise<void> {
    await this.sql(
      `INSERT INTO circuit_breaker (account_id, fingerprint, receiver, reason, since, retry_at)
       VALUES ($1, $2, 'google', 'permissionDenied', '2026-11-20T09:00:00Z', '2026-11-20T11:00:00Z') ON CONFLICT DO NOTHING`,
      [owner, fingerprint],
    );
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- rows as they are
  sql(text: string, values: unknown[]): Promise<any[]> {
    return this.node.app.get(DataSource).query(text, values);
  }
}
