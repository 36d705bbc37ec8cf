import { join, resolve } from 'node:path';
import type { AccountsOptions, OidcOptions, SelfServiceOptions } from '@passwright/accounts';
import type { AppleCertificatesOptions, EncryptedSecretsOptions } from '@passwright/wallet-credentials';
import type { MasterKey } from '@passwright/core';
import type { HttpOptions } from '@passwright/http';
import type { MembershipsOptions } from '@passwright/memberships';
import type { ImagesOptions } from '@passwright/images';
import type { TemplatesOptions } from '@passwright/templates';
import type { WebhooksOptions } from '@passwright/webhooks';
import type { LogOptions } from '../logging.js';
import type { McpOptions } from '../mcp/mcp.options.js';
import type { MetricsOptions } from '../metrics/metrics.options.js';
import { ConfigInvalid, type Environment, validValues } from './config-validation.js';
import { developmentSecrets } from './development-secrets.js';
import { parseMasterKeys } from './variables/master-keys.js';
import { oidcProvider } from './oidc-config.js';
import { passesConfig, type PassesConfig } from './passes-config.js';
import { processConfig, type ProcessConfig } from './process-config.js';
import { providersConfig, type ProvidersConfig } from './providers-config.js';
import { imagesOptions, storageConfig, type StorageConfig } from './storage-config.js';
import type { Values } from './variables/variables.js';
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

/** Options of `loadConfig`. */
interface LoadOptions {
  /** If true, `loadConfig` writes nothing. It generates the secrets of a first start without storing them. */
  readonly readOnly?: boolean;
}

/** Reads, checks and completes the configuration. @throws ConfigInvalid that lists every problem */
export function loadConfig(environment: Environment, { readOnly = false }: LoadOptions = {}): AppConfig {
  return toConfig(validValues(environment, readOnly), readOnly);
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
