import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@passwright/embedded-postgres';
import pg from 'pg';
import { openAccount, withServers } from '../bench/servers.mjs';

const usesDatabase = ['nest-app', 'fastify-app', 'passes-only'];
const root = join(import.meta.dirname, '../..');

/**
 * Provides what apps need at run time: a database for each run, and a running service for the command line. Both start
 * when they are first needed.
 */
export async function withSurroundings(work) {
  let result;
  await withServers(async (servers) => {
    let postgres, service;
    const database = async () => databaseOf((await (postgres ??= startPostgres(servers))).url);
    const startService = async () => {
      const settings = { DATABASE_URL: await database(), DATA_DIR: join(servers.dir, 'service') };
      return { ...(await servers.startService(settings)), settings };
    };
    const environmentFor = async (app) => {
      if (usesDatabase.includes(app)) return { DATABASE_URL: await database() };
      if (app !== 'command-line') return {};
      const { url, settings } = await (service ??= startService());
      const { key } = await openAccount({ url });
      return { ...settings, BASE_URL: url, PASSWRIGHT_URL: url, PASSWRIGHT_KEY: key, SERVICE_FOLDER: root };
    };
    result = await work({ environmentFor });
  });
  return result;
}

async function startPostgres(servers) {
  const postgres = await startEmbeddedPostgres({ dataDir: join(servers.dir, 'postgres') });
  servers.onStop(() => postgres.stop());
  return postgres;
}

/** Creates a database. @returns its address */
async function databaseOf(url) {
  const name = `app_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
