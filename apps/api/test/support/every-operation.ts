import { JobDiscoveryService } from '@passwright/jobs/testing';
import { queueTables } from '@passwright/database';
import { DataSource } from 'typeorm';
import { openApi, operationsOf, type Operation } from './operations.js';
import { attempt, type Things, thingsOf } from './own-things.js';
import type { Account, RunningService } from './running-service.js';

/** Sorts operations that delete or end a resource last. */
const order = (method: string, path: string) =>
  ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].indexOf(method) + (/^\/v1\/account$|logout/.test(path) ? 10 : 0);

/**
 * Calls every operation of the document for an account. No status may be a 5xx.
 * @param look properties to add to the template
 */
export async function callEveryOperation(account: Account, look: object = {}): Promise<void> {
  const { service } = account;
  const document = await openApi(service);
  const things: Things = await thingsOf(account, look);
  const key = await account.apiKey(
    ...['templates', 'passes', 'members', 'account'].flatMap((noun) => [`${noun}:read`, `${noun}:write`]),
  );
  const operations = operationsOf(document)
    .filter(({ isForPhones, secured, source }) => !isForPhones && (secured || !source.requestBody))
    .sort((one, other) => order(one.method, one.path) - order(other.method, other.path));
  const tokenOf = ({ path }: Operation) => (/^\/v1\/(auth|account)/.test(path) ? account.token : key);
  for (const operation of operations) {
    const { status } = await attempt(service, document, { operation, token: tokenOf(operation), things });
    expect({ id: operation.id, status: status < 500 || status }).toEqual({ id: operation.id, status: true });
  }
}

/** Adds the job of every schedule of a service. */
export async function addEverySchedule({ app }: RunningService, schema: string | null = null): Promise<void> {
  const { schedules } = app.get(JobDiscoveryService, { strict: false }).find();
  for (const { name } of schedules)
    await app.get(DataSource).query(`SELECT ${queueTables(schema).addJob}($1, '{}')`, [name]);
}
