import { counted } from '../counted.js';
import { type Finding, problem } from './finding.js';

/** The tables and columns with data encrypted under the master keys. */
const encrypted = [
  ['apple_certificate', 'private_key'],
  ['apple_certificate_request', 'private_key'],
  ['google_service_account', 'private_key'],
  ['webhook', 'secret'],
  ['webhook', 'previous_secret'],
  ['encryption_key', 'wrapped'],
] as const;

/**
 * Builds the SQL that reads the id of the master key from encrypted bytes. They begin with the version, the length of
 * the id, and the id.
 */
const keyId = (column: string) => `convert_from(substring(${column} FROM 3 FOR get_byte(${column}, 1)), 'LATIN1')`;

/**
 * Reports master keys that encrypt stored data but are not in `known`.
 * @param source a database whose schema is that of this release
 */
export async function lostKeys(
  source: { query<T>(sql: string): Promise<T> },
  known: ReadonlySet<string>,
): Promise<Finding[]> {
  const ids = encrypted.map(
    ([table, column]) => `SELECT account_id, ${keyId(column)} AS id FROM ${table} WHERE ${column} IS NOT NULL`,
  );
  const used = await source.query<{ id: string; accounts: number }[]>(
    `SELECT id, count(DISTINCT account_id)::int AS accounts
       FROM (${ids.join(' UNION ALL ')}) AS encrypted
      GROUP BY id ORDER BY id`,
  );
  return used
    .filter(({ id }) => !known.has(id))
    .map(({ id, accounts }) =>
      problem(
        `Keys or secrets of ${counted(accounts, 'account')} are encrypted under the master key "${id}", which is not in MASTER_KEYS.`,
        'Add it to MASTER_KEYS again, behind the others, and restart.',
      ),
    );
}
