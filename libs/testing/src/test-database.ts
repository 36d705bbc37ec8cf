import { connect, databaseUrl } from './test-server.js';

/** A database of this Jest worker's own. */
export interface TestDatabase {
  readonly url: string;
  /** Removes it, ending the connections to it. Needed only to free it early: the run's end removes every database. */
  drop(): Promise<void>;
}

/**
 * The migrated database of this Jest worker: cloned from the run's template at the first call in the process, the same
 * one for its later spec files of the same project. Tests share it without emptying it, so each makes an account of its
 * own.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { serverUrl, template } = testRun();
  const { PASSWRIGHT_TEST_PROJECT: project = '0', JEST_WORKER_ID: worker = '0' } = process.env;
  return create(serverUrl, `${template}_${project}_${worker}_${process.pid}`, template);
}

/** A database without a schema, another at each call: for what makes or migrates one. Drop it afterwards. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const { serverUrl, template } = testRun();
  return create(serverUrl, `${template}_${process.pid}_${process.hrtime.bigint()}`, 'template1');
}

async function create(serverUrl: string, name: string, template: string): Promise<TestDatabase> {
  await asAdmin(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`).catch((error: unknown) => {
    // There already, or made this moment by another call.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
  });
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => asAdmin(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function asAdmin(serverUrl: string, sql: string): Promise<void> {
  const admin = await connect(serverUrl, 'passwright test worker');
  try {
    await admin.query(sql);
  } finally {
    await admin.end();
  }
}

function testRun(): { serverUrl: string; template: string } {
  const { PASSWRIGHT_TEST_SERVER: serverUrl, PASSWRIGHT_TEST_TEMPLATE: template } = process.env;
  if (serverUrl && template) return { serverUrl, template };
  throw new Error(
    'No test server: the global setup starts one only for *.int-spec.ts and *.e2e-spec.ts files. Name this spec so.',
  );
}
