import { join, relative } from 'node:path';
import type { AppConfig } from './config/config.js';
import { embeddedDatabaseFolder } from './embedded-database.js';
import { standardOutput } from './log-output.js';
import { createLogger } from './logging.js';

/**
 * Reports that the node serves requests. In development, prints the next steps. In production, warns if e-mails are
 * stored as files, because their recipients would never get them.
 * @param quiet prints no next steps
 */
export function announce(config: AppConfig, port: number, quiet: boolean): void {
  const { production, mailer } = config;
  if (!production && !quiet) standardOutput().write(welcome(config, port));
  if (production && mailer.transport.kind === 'outbox') {
    const { dir } = mailer.transport;
    createLogger(config).warn(`SMTP_URL is not set: e-mails are not sent, but written as files to ${dir}`);
  }
}

export function welcome(config: AppConfig, port: number): string {
  const { baseUrl } = config.server;
  const local = `http://localhost:${port}`;
  const database = config.database.url
    ? 'DATABASE_URL'
    : `embedded Postgres in ${shown(embeddedDatabaseFolder(config))}`;
  const signing =
    config.signer.identity.kind === 'development'
      ? `a development chain (phones reject it); its root: ${shown(join(config.dataDir, 'development-chain', 'root.pem'))}`
      : 'your Apple certificate';
  const { serviceAccount } = config.googleWalletApi;
  const google =
    serviceAccount.kind === 'development'
      ? 'development links (Google rejects them)'
      : `issuer ${serviceAccount.issuerId}${baseUrl.startsWith('https:') ? '' : ' (without images: BASE_URL is no https address)'}`;
  const mails =
    config.mailer.transport.kind === 'outbox' ? `files in ${shown(config.mailer.transport.dir)}` : 'sent by SMTP_URL';
  const demo = baseUrl === 'http://localhost:3000' ? 'npm run demo:pass' : `BASE_URL=${baseUrl} npm run demo:pass`;
  return `
  Passwright is ready.

    Start page     ${baseUrl}${local === baseUrl ? '' : `   (here: ${local})`}
    Workbench      ${baseUrl}/workbench
    Swagger UI     ${baseUrl}/docs
    Database       ${database}
    Signed with    ${signing}
    Google Wallet  ${google}
    E-mails        ${mails}

  Next, in another terminal:

    ${demo}

  registers an account, saves a template, issues a pass from it, leaves its .pkpass here and opens its web page.
  The same five calls with curl are in the README. Ctrl-C stops the service.

`;
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : `./${short}`;
}
