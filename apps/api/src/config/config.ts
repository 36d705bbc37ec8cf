import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AccountsOptions, OidcOptions, SelfServiceOptions } from '@passwright/accounts';
import type { AppleCertificatesOptions, EncryptedSecretsOptions } from '@passwright/wallet-credentials';
import type { MasterKey } from '@passwright/core';
import { toCredential } from '@passwright/google-wallet-api';
import type { HttpOptions } from '@passwright/http';
import type { MembershipsOptions } from '@passwright/memberships';
import { loadSigningMaterial } from '@passwright/signer';
import type { ImagesOptions } from '@passwright/images';
import type { TemplatesOptions } from '@passwright/templates';
import type { WebhooksOptions } from '@passwright/webhooks';
import type { LogOptions } from '../logging.js';
import type { McpOptions } from '../mcp/mcp.options.js';
import type { MetricsOptions } from '../metrics/metrics.options.js';
import { dataFolderProblem } from './data-folder.js';
import { missingForDatabase } from './database-config.js';
import { developmentSecrets } from './development-secrets.js';
import { parseMasterKeys } from './variables/master-keys.js';
import { missingForOidc, oidcProvider } from './oidc-config.js';
import { passesConfig, type PassesConfig } from './passes-config.js';
import { processConfig, type ProcessConfig } from './process-config.js';
import { googleWalletApiOptions, providersConfig, signerOptions, type ProvidersConfig } from './providers-config.js';
import { imagesOptions, missingForStorage, storageConfig, type StorageConfig } from './storage-config.js';
import { withoutUnusedTracing } from './tracing-config.js';
import { fileVariables, variables, type Values, type VariableName } from './variables/variables.js';
import { walletBadges } from './wallet-badges.js';
import { shareOf } from './worker-count.js';

/** The configuration of the app. It has a slice for each package, with the type of the package's options. */
export interface AppConfig extends LogOptions, PassesConfig, ProcessConfig, ProvidersConfig, StorageConfig {
  readonly dataDir: string;
  readonly http: HttpOptions;
  readonly accounts: AccountsOptions;
  readonly selfService: SelfServiceOptions;
  readonly oidc: OidcOptions;
  readonly encryptedSecrets: EncryptedSecretsOptions;
  readonly appleCertificates: AppleCertificatesOptions;
  readonly images: ImagesOptions;
  readonly templates: TemplatesOptions;
  readonly memberships: MembershipsOptions;
  readonly webhooks: WebhooksOptions;
  readonly mcp: McpOptions;
  readonly metrics: MetricsOptions;
}

/** The configuration is invalid. The error lists every problem with a valid example, and stops the start. */
export class ConfigInvalid extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  - ${problem}\n`).join('')}`,
    );
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of `loadConfig`. */
interface LoadOptions {
  /** If true, `loadConfig` writes nothing. It generates the secrets of a first start without storing them. */
  readonly readOnly?: boolean;
}

/** Reads, checks and completes the configuration. @throws ConfigInvalid that lists every problem */
export function loadConfig(environment: Environment, { readOnly = false }: LoadOptions = {}): AppConfig {
  const problems: string[] = [];
  const complete = withoutUnusedTracing(withFiles(environment, problems));
  const values = parse(complete, problems);
  problems.push(...missing(complete));
  if (values) {
    problems.push(...certificateProblems(values), ...serviceAccountProblems(values));
    problems.push(...dataDirProblems(values, readOnly));
    if (values.WALLET_BADGES !== undefined) problems.push(...walletBadges(values.WALLET_BADGES).problems);
  }
  if (!values || problems.length > 0) throw new ConfigInvalid(problems);
  return toConfig(values, readOnly);
}

/** Resolves `NAME_FILE`, the path of a file with the value of `NAME`, which is how containers pass secrets. */
function withFiles(environment: Environment, problems: string[]): Environment {
  // Ignore empty values, because compose files and shells pass an unset variable as an empty text.
  const result = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  for (const name of fileVariables) {
    const path = result[`${name}_FILE`];
    if (path === undefined) continue;
    if (result[name] !== undefined) problems.push(`${name} and ${name}_FILE are both set; keep one of them`);
    try {
      result[name] = readFileSync(path, 'utf8').trimEnd();
    } catch (error) {
      problems.push(`${name}_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
    }
  }
  return result;
}

function parse(environment: Environment, problems: string[]): Values | null {
  const before = problems.length;
  const values: Partial<Record<VariableName, unknown>> = {};
  for (const name of Object.keys(variables) as VariableName[]) {
    const { schema, example } = variables[name];
    const parsed = schema.safeParse(environment[name]);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${name} ${parsed.error.issues[0]?.message ?? 'is wrong'}; for example ${name}=${example}`);
  }
  return problems.length === before ? (values as Values) : null;
}

/** Lists unset variables that other variables require, even if some values are invalid. */
function missing(environment: Environment): string[] {
  const problems: string[] = [];
  const secrets = {
    ACCESS_TOKEN_SECRET: 'openssl rand -base64 32',
    PASS_TOKEN_SECRET: 'openssl rand -base64 32',
    MASTER_KEYS: 'echo "1:$(openssl rand -base64 32)"',
  };
  for (const [name, command] of Object.entries(secrets)) {
    if (environment.NODE_ENV === 'production' && !environment[name]) {
      problems.push(`${name} is missing; make one with: ${command}, then keep it`);
    }
  }
  if (environment.SMTP_URL && !environment.MAIL_FROM) {
    problems.push(`MAIL_FROM is missing; for example MAIL_FROM=${variables.MAIL_FROM.example}`);
  }
  const apple = ['APPLE_CERTIFICATE', 'APPLE_PRIVATE_KEY'] as const;
  const absent = apple.filter((name) => !environment[name]);
  if (absent.length === 1 || (absent.length === 2 && environment.APPLE_INTERMEDIATE)) {
    for (const name of absent) problems.push(`${name} is missing; for example ${name}=${variables[name].example}`);
  }
  if (environment.APPLE_CERTIFICATE && !environment.BASE_URL?.startsWith('https://')) {
    problems.push(
      `BASE_URL must be an https address when APPLE_CERTIFICATE is set, as iPhones reject any other; for example BASE_URL=${variables.BASE_URL.example}`,
    );
  }
  return [
    ...problems,
    ...missingForDatabase(environment),
    ...missingForGoogle(environment),
    ...missingForOidc(environment),
    ...missingForStorage(environment),
  ];
}

function missingForGoogle(environment: Environment): string[] {
  const google = ['GOOGLE_ISSUER_ID', 'GOOGLE_SERVICE_ACCOUNT'] as const;
  const absent = google.filter((name) => !environment[name]);
  if (absent.length === google.length) return [];
  return absent.map((name) => `${name} is missing; for example ${name}=${variables[name].example}`);
}

/**
 * Reports a certificate that can never sign, so that the start fails early. Accepts an expired certificate, with which
 * downloads of passes respond with 503.
 */
function certificateProblems(values: Values): string[] {
  const { identity } = signerOptions(values, '');
  if (identity.kind === 'development') return [];
  try {
    loadSigningMaterial(identity);
    return [];
  } catch (error) {
    return [`APPLE_CERTIFICATE, APPLE_PRIVATE_KEY and APPLE_INTERMEDIATE: ${(error as Error).message}`];
  }
}

/** Reports a key that can never sign. Only Google can tell whether it knows the key. */
function serviceAccountProblems(values: Values): string[] {
  const { serviceAccount } = googleWalletApiOptions(values, '');
  if (serviceAccount.kind === 'development') return [];
  try {
    toCredential(serviceAccount, '');
    return [];
  } catch (error) {
    return [`GOOGLE_SERVICE_ACCOUNT: ${(error as Error).message}`];
  }
}

function dataDirProblems({ DATA_DIR }: Values, readOnly: boolean): string[] {
  const problem = dataFolderProblem(DATA_DIR, readOnly);
  return problem === null
    ? []
    : [`DATA_DIR ${DATA_DIR} ${problem}; for example DATA_DIR=${variables.DATA_DIR.example}`];
}

function toConfig(values: Values, readOnly: boolean): AppConfig {
  const dataDir = resolve(values.DATA_DIR);
  const baseUrl = values.BASE_URL ?? `http://localhost:${values.PORT}`;
  const process = processConfig(values, baseUrl);
  const secrets = developmentSecrets(dataDir, values, { readOnly });
  const personalData = {
    masterKeys: masterKeys(secrets.MASTER_KEYS, dataDir),
    encrypts: values.PERSONAL_DATA === 'encrypted',
  };
  // Apple's own push service rejects development certificates, so passes signed with them need another push service.
  const pushesDevelopmentPasses = values.APPLE_PUSH_URL !== undefined;
  return {
    ...process,
    dataDir,
    ...logOptions(values),
    http: { ...httpOptions(values, baseUrl, process), storedResponses: personalData },
    accounts: { ...accountsOptions(values, secrets.ACCESS_TOKEN_SECRET), personalData, cores: process.cores },
    selfService: selfServiceOptions(values, baseUrl),
    oidc: { baseUrl, signInUrl: `${baseUrl}/workbench`, provider: oidcProvider(values, baseUrl) },
    encryptedSecrets: { masterKeys: personalData.masterKeys },
    appleCertificates: { baseUrl, operatorEmail: values.OPERATOR_EMAIL, pushesDevelopmentPasses },
    images: imagesOptions(values, baseUrl),
    templates: { baseUrl, language: values.CONTENT_LANGUAGE },
    ...passesConfig(values, {
      baseUrl,
      secret: secrets.PASS_TOKEN_SECRET,
      pushesDevelopmentPasses,
      workers: process.workers,
    }),
    memberships: { baseUrl, language: values.CONTENT_LANGUAGE, remindersPerMinute: values.REMINDERS_PER_MINUTE },
    webhooks: { baseUrl, hostsAllowed: values.WEBHOOK_HOSTS_ALLOWED },
    ...providersConfig(values, dataDir),
    ...storageConfig(values, dataDir, process.threads),
    mcp: { baseUrl, planSecret: secrets.PASS_TOKEN_SECRET, authorizationServers: values.MCP_AUTHORIZATION_SERVERS },
    metrics: { token: values.METRICS_TOKEN ?? null, open: !process.production },
  };
}

function logOptions({ LOG_LEVEL, LOG_FORMAT, NODE_ENV }: Values): LogOptions {
  return { logLevel: LOG_LEVEL, logFormat: LOG_FORMAT ?? (NODE_ENV === 'production' ? 'json' : null) };
}

function httpOptions(values: Values, baseUrl: string, { workers, database, server }: ProcessConfig): HttpOptions {
  return {
    baseUrl,
    trustProxy: values.TRUST_PROXY,
    allowedOrigins: values.CORS_ORIGINS,
    requestsPerMinute: values.RATE_LIMIT_PER_MINUTE,
    connectionsPerAddress: shareOf(values.CONNECTIONS_PER_ADDRESS, workers),
    requestsAtOnce: database.poolSize,
    stopWithinMs: server.requestsStopMs,
  };
}

function accountsOptions(values: Values, accessTokenSecret: string): AccountsOptions {
  return {
    accessTokenSecret,
    accessTokenTtlSeconds: values.ACCESS_TOKEN_TTL_SECONDS,
    refreshTokenTtlSeconds: values.REFRESH_TOKEN_TTL_SECONDS,
    accountsPerFounder: values.ACCOUNTS_PER_FOUNDER,
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
  };
}

function selfServiceOptions(values: Values, baseUrl: string): SelfServiceOptions {
  return {
    baseUrl,
    registration: values.REGISTRATION ?? (values.NODE_ENV === 'production' ? 'closed' : 'open'),
    signsInByProvider: oidcProvider(values, baseUrl) !== null,
    signInUrl: `${baseUrl}/workbench`,
    deletionDelayDays: values.ACCOUNT_DELETION_DELAY_DAYS,
  };
}

function masterKeys(text: string, dataDir: string): readonly MasterKey[] {
  const keys = parseMasterKeys(text);
  if (keys) return keys;
  throw new ConfigInvalid([
    `MASTER_KEYS in ${join(dataDir, 'secrets.json')} is damaged; restore that file from a backup`,
  ]);
}
