import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { keysOfUsers, PersonalData } from '@passwright/accounts';
import { drawImagesOnce, onceInProcess, testDatabase } from '@passwright/testing';
import sharp from 'sharp';
import { DataSource } from 'typeorm';
// eslint-disable-next-line @typescript-eslint/no-require-imports -- the object itself, to change it
import argon2 = require('@node-rs/argon2');
import { loadConfig } from '../../src/config/config.js';
import { createApp } from '../../src/create-app.js';
import { createDocumentOnce } from './document-created-once.js';

/** A response. Its body is parsed if it is JSON. */
export interface ApiResponse {
  status: number;
  headers: Headers;
  bytes: Buffer;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a client sees is what is asserted
  body: any;
}

export interface Request {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

// Draw each image only once. Other specs test the drawing.
drawImagesOnce(sharp);

// Make password hashes cheap, because most tests create a user. Another spec tests their real cost.
const { hash } = argon2;
jest
  .spyOn(argon2, 'hash')
  .mockImplementation((password, options, signal) =>
    hash(password, { ...options, memoryCost: 8, timeCost: 1 }, signal),
  );

/** The whole app on a real port with a real database. */
export class RunningService {
  /** The client address of its requests. Each service has its own, because the database counts attempts by address. */
  private readonly clientAddress = [10, ...randomBytes(3)].join('.');

  private constructor(
    readonly app: NestExpressApplication,
    readonly baseUrl: string,
    readonly dataDir: string,
    private readonly ownsDataDir: boolean,
  ) {}

  /**
   * Starts a service.
   * @param sibling another node of the same installation, with which it shares images, secrets and the signing chain
   */
  static async start(environment: Record<string, string> = {}, sibling?: RunningService): Promise<RunningService> {
    const dataDir = sibling?.dataDir ?? mkdtempSync(join(tmpdir(), 'passwright e2e '));
    if (!sibling) plantSecrets(environment.DATA_DIR ?? dataDir);
    if (!sibling) plantCredentials(dataDir);
    const addresses = addressesOf(environment.DATABASE_URL ?? (await testDatabase()).url);
    const defaults = {
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_MINUTE: '0',
      TRUST_PROXY: '1',
      DATABASE_STATEMENT_SECONDS: '30',
    };
    const config = loadConfig({ ...defaults, ...environment, ...addresses });
    const app = await createApp(config, addresses.DATABASE_URL);
    createDocumentOnce(app, config.server.baseUrl);
    // Delete the counts of earlier specs.
    if (!sibling) await app.get(DataSource).query('DELETE FROM rate_limit');
    await app.listen(Number(environment.PORT ?? 0), '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new RunningService(app, `http://127.0.0.1:${port}`, dataDir, sibling === undefined);
  }

  async stop(): Promise<void> {
    // Close our own connections, because a stopping node waits half a second for idle ones.
    this.app.getHttpServer().closeIdleConnections();
    await this.app.close();
    if (!this.ownsDataDir) return;
    keepCredentials(this.dataDir);
    // Interrupted work may still write a file, so try again.
    rmSync(this.dataDir, { recursive: true, maxRetries: 5 });
  }

  async request(method: string, path: string, { token, body, headers = {} }: Request = {}): Promise<ApiResponse> {
    // Links begin with BASE_URL; only their path matters here.
    const url = new URL(path, this.baseUrl);
    const isJson = body !== undefined && !(body instanceof FormData) && typeof body !== 'string';
    const response = await fetch(new URL(url.pathname + url.search, this.baseUrl), {
      method,
      redirect: 'manual',
      headers: {
        'X-Forwarded-For': this.clientAddress,
        ...(body !== undefined && !(body instanceof FormData) && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: isJson ? JSON.stringify(body) : body,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const json = /[/+]json/.test(response.headers.get('content-type') ?? '') && bytes.length > 0;
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: json ? JSON.parse(bytes.toString()) : null,
    };
  }

  /** Returns the stored form of a user's e-mail address. */
  async storedEmail(email: string): Promise<string> {
    const [form = ''] = await this.app.get(PersonalData).formsOf(keysOfUsers, email);
    return form;
  }

  /** Registers a new account. */
  async register(): Promise<Account> {
    const email = `${randomUUID()}@example.com`;
    const password = randomUUID();
    const { status, body } = await this.request('POST', '/v1/auth/register', {
      body: { email, password, name: 'Ada', accountName: 'Analytical Engines' },
    });
    if (status !== 201) throw new Error(`register returned ${status}: ${JSON.stringify(body)}`);
    return new Account(this, email, password, body.accountId, body.accessToken, body.refreshToken);
  }
}

/** Returns the variables of a database. Under `npm run test:pgbouncer`, they lead through PgBouncer. */
function addressesOf(url: string): { DATABASE_URL: string; [name: string]: string } {
  const { TEST_DATABASE_URL: server, TEST_POOLER_PORT: port } = process.env;
  if (!server || !port || new URL(server).host !== new URL(url).host) return { DATABASE_URL: url };
  const pooled = Object.assign(new URL(url), { port }).href;
  return { DATABASE_URL: pooled, DATABASE_DIRECT_URL: url, DATABASE_PREPARED_STATEMENTS: 'off' };
}

/** The folders of credentials that a service generates: Apple's chain and Google's service account. */
const credentialFolders = ['development-chain', 'development-google'];
const storedCredentials = () =>
  onceInProcess('development credentials', () => new Map<string, ReadonlyMap<string, Buffer>>());

/**
 * Stores the generated credentials of the first service. Later services reuse them, because generating four RSA keys
 * takes long.
 */
function keepCredentials(dataDir: string): void {
  const credentials = storedCredentials();
  for (const folder of credentialFolders) {
    const dir = join(dataDir, folder);
    if (credentials.has(folder) || !existsSync(dir)) continue;
    credentials.set(folder, new Map(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name))])));
  }
}

function plantCredentials(dataDir: string): void {
  for (const [folder, files] of storedCredentials()) {
    mkdirSync(join(dataDir, folder));
    for (const [name, bytes] of files) writeFileSync(join(dataDir, folder, name), bytes, { mode: 0o600 });
  }
}

/** The master key of all services of this process, which share a database. */
export const masterKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`;

function plantSecrets(dataDir: string): void {
  const file = join(dataDir, 'secrets.json');
  if (existsSync(file)) return;
  const secret = () => randomBytes(32).toString('base64');
  const secrets = { ACCESS_TOKEN_SECRET: secret(), PASS_TOKEN_SECRET: secret(), MASTER_KEYS: masterKeys };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
}

/** A registered account and its admin's token. */
export class Account {
  constructor(
    readonly service: RunningService,
    readonly email: string,
    readonly password: string,
    readonly id: string,
    readonly token: string,
    readonly refreshToken: string,
  ) {}

  get(path: string, headers?: Record<string, string>): Promise<ApiResponse> {
    return this.service.request('GET', path, { token: this.token, headers });
  }

  post(path: string, body: unknown = {}, headers?: Record<string, string>): Promise<ApiResponse> {
    return this.service.request('POST', path, { token: this.token, body, headers });
  }

  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<ApiResponse> {
    return this.service.request('PATCH', path, { token: this.token, body, headers });
  }

  delete(path: string, headers?: Record<string, string>): Promise<ApiResponse> {
    return this.service.request('DELETE', path, { token: this.token, headers });
  }

  /**
   * Creates an API key.
   * @returns its text
   */
  async apiKey(...scopes: string[]): Promise<string> {
    const { status, body } = await this.post('/v1/auth/keys', {
      name: 'Web shop',
      ...(scopes.length > 0 && { scopes }),
    });
    if (status !== 201) throw new Error(`a new key returned ${status}: ${JSON.stringify(body)}`);
    return body.key;
  }

  /**
   * Saves a template.
   * @param changes properties to replace, or to remove if undefined
   */
  async saveTemplate(type: TemplateType, id: string = type, changes: object = {}): Promise<ApiResponse> {
    return this.post(`/v1/templates/${id}`, { ...templateBody(type), ...changes });
  }

  /** Saves a template and issues a pass from it. */
  async issue(type: TemplateType, body: object = {}): Promise<ApiResponse> {
    const saved = await this.saveTemplate(type);
    if (saved.status !== 200) throw new Error(`template returned ${saved.status}: ${JSON.stringify(saved.body)}`);
    return this.post(`/v1/pass/${type}`, { ...passBody(type), ...body });
  }
}

export const templateTypes = ['offer', 'event', 'generic', 'membership'] as const;
export type TemplateType = (typeof templateTypes)[number];

const samples = 'http://localhost:3000/images/samples';

/** Returns the smallest valid template of a type. */
export function templateBody(type: TemplateType): Record<string, unknown> {
  return {
    type,
    title: 'Summer offer',
    issuerName: 'Analytical Engines',
    foregroundColor: '#ffffff',
    backgroundColor: 'rgb(20, 40, 80)',
    icon: `${samples}/icon.png`,
    logo: `${samples}/logo.png`,
    banner: `${samples}/banner.png`,
    ...(type === 'event' && { startDate: '2027-05-01T18:00:00.000Z' }),
    ...(type === 'generic' && { primaryLabel: 'Holder', thumbnail: `${samples}/thumbnail.png` }),
    ...(type === 'membership' && { primaryLabel: 'Member' }),
  };
}

/** Returns the smallest valid pass of a type. */
export function passBody(type: TemplateType): Record<string, unknown> {
  return type === 'generic' || type === 'membership' ? { primaryValue: 'Ada Lovelace' } : {};
}
