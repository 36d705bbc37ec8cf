/**
 * Runs in a separate process, in a network namespace without routes. Makes a call with every client of the service, and
 * prints the outcomes as one JSON object. A client that cannot handle the failure ends the process.
 */
import { generateKeyPairSync } from 'node:crypto';
import { trace } from '@opentelemetry/api';
import { IdentityProvider } from '@passwright/accounts';
import { ApnsPush } from '@passwright/apple-push';
import { type AppleCredential, AppleCredentials, SystemClock } from '@passwright/core';
import { MemoryQuota, ResolvedServiceAccounts, RestGoogleWallet } from '@passwright/google-wallet-api';
import { PublicAgent } from '@passwright/http';
import { SmtpMailer } from '@passwright/mailer';
import { S3Storage } from '@passwright/storage';
import { testCertificates } from '@passwright/testing';
import { pino } from 'pino';
import { startTracing } from '../../src/tracing/tracing.js';

const ipv6 = { address: '2606:4700:4700::1111', family: 6 };
const ipv4 = { address: '93.184.215.14', family: 4 };
const clock = new SystemClock();
const privateKeyPem = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}).privateKey;

class OwnCertificate extends AppleCredentials {
  private readonly credential = testCertificates().pass();

  of(): Promise<AppleCredential> {
    return Promise.resolve(this.credential);
  }
}

/** Requests an address as the service fetches images and calls webhooks. */
async function get(url: string, addresses: (typeof ipv6)[]): Promise<unknown> {
  const agent = new PublicAgent({
    hostsAllowed: [],
    connectTimeoutMs: 5000,
    keepsConnections: true,
    resolve: () => Promise.resolve(addresses),
  });
  return agent.request(new URL(url), { headers: {}, signal: AbortSignal.timeout(5000) });
}

async function push(url: string): Promise<unknown> {
  const client = new ApnsPush({ url, ca: null }, new OwnCertificate(), clock, { shutdownMs: 1 });
  const [response] = await client.pushAll('acc_1', ['ab'.repeat(32)]);
  await client.onApplicationShutdown();
  return response?.reason;
}

function google(url: string): Promise<unknown> {
  const urls = { apiUrl: url, tokenUrl: url, saveUrl: null, callbackKeysUrl: url };
  const key = { issuerId: '3388000000000000000', clientEmail: 'passes@example.com', privateKeyPem };
  const accounts = new ResolvedServiceAccounts({ serviceAccount: { kind: 'operator', ...key }, tokenUrl: url });
  return new RestGoogleWallet(urls, accounts, new MemoryQuota(), clock, {
    writeMs: { holder: 500, background: 500 },
  }).check(key);
}

function signIn(issuer: string): Promise<unknown> {
  const provider = {
    issuer,
    clientId: 'x',
    clientSecret: 'x',
    clientAuthentication: 'auto',
    scopes: 'openid',
    returnUrls: [],
    registration: 'closed',
  } as const;
  const attempt = { state: 'x', nonce: 'x', codeVerifier: 'x' } as never;
  return new IdentityProvider({ baseUrl: 'https://passes.example.com', provider }, clock).addressFor(attempt);
}

async function mail(host: string): Promise<unknown> {
  const server = { host, port: 465, secure: true, requireTls: true, auth: null };
  const mailer = new SmtpMailer(server, { name: '', address: 'passes@example.com' }, clock);
  await mailer.send({ to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }).finally(() => {
    mailer.onApplicationShutdown();
  });
  return 'sent';
}

async function store(endpoint: string): Promise<unknown> {
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' };
  const place = { kind: 's3', bucket: 'images', region: 'eu-central-1', endpoint, pathStyle: true } as const;
  const storage = await S3Storage.load({ ...place, credentials });
  return storage.get('x').catch((error: Error) => {
    throw error.cause as Error;
  });
}

/**
 * Sends a span.
 * @returns the log message about the result
 */
async function sendTrace(endpoint: string): Promise<string> {
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '500' });
  const lines: string[] = [];
  const tracing = startTracing(
    { protocol: 'http/protobuf', share: 1 },
    pino({ level: 'warn' }, { write: (line) => lines.push(line) }),
  );
  trace.getTracer('test').startSpan('a span').end();
  await tracing.stop();
  return lines.join('');
}

const calls: Record<string, () => Promise<unknown>> = {
  'image or webhook, https, IPv6 alone': () => get('https://crm.example.com/', [ipv6]),
  'image or webhook, https, IPv4 alone': () => get('https://crm.example.com/', [ipv4]),
  'image or webhook, https, both': () => get('https://crm.example.com/', [ipv6, ipv4]),
  'image or webhook, http, IPv6 alone': () => get('http://crm.example.com/', [ipv6]),
  'image or webhook, https, an IPv6 address': () => get(`https://[${ipv6.address}]/`, []),
};
for (const host of ['localhost', `[${ipv6.address}]`]) {
  calls[`push, ${host}`] = () => push(`https://${host}:8443`);
  calls[`Google, ${host}`] = () => google(`https://${host}:8443`);
  calls[`OpenID Connect, ${host}`] = () => signIn(`https://${host}:8443`);
  calls[`mail, ${host}`] = () => mail(host.replace(/[[\]]/g, ''));
  calls[`S3, ${host}`] = () => store(`https://${host}:8443`);
  calls[`traces, ${host}`] = () => sendTrace(`http://${host}:8443`);
}

async function run(): Promise<void> {
  const ends: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) {
    ends[name] = await call().then(String, (error: Error & { code?: string }) => error.code ?? error.message);
  }
  process.stdout.write(JSON.stringify(ends));
}

void run();
