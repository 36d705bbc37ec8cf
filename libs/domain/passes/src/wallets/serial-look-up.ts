import type { Database } from '@passwright/database';
import { accountOfSerialNumber } from '../content/serial-number.js';

/** Two statements that read by serial number: one within an account, one across all accounts. */
interface SerialSql {
  /** The statement within an account. Its parameters are the serial number and the account. */
  readonly inAccount: string;
  /** The statement across all accounts. Its parameter is the serial number. */
  readonly inAll: string;
}

/**
 * Builds a statement for one account and a statement for all accounts.
 * @param sql builds either statement. `condition` selects rows of `pass` or `deleted_pass`. `account` is an SQL
 * expression for the account of a row; a statement that uses it must call the row `p`
 */
export function bySerialNumber(sql: (condition: string, account: string) => string): SerialSql {
  return {
    inAccount: sql('serial_number = $1 AND account_id = $2', '$2'),
    inAll: sql('serial_number = $1', 'p.account_id'),
  };
}

/**
 * Reads the rows of a serial number: in the account that the number contains, or else in all accounts. On Citus, a
 * separate statement first finds the account, because Citus joins tables only within an account.
 * @param name the name of the prepared statement, unique among all look-ups
 */
export async function lookUpSerialNumber<Row>(
  database: Database,
  name: string,
  { inAccount, inAll }: SerialSql,
  serialNumber: string,
): Promise<Row[]> {
  const named = accountOfSerialNumber(serialNumber);
  if (named === null && !database.isDistributed)
    return database.lookUp<Row>(`${name}-without-account`, inAll, [serialNumber]);
  const accountId = named ?? (await accountOf(database, serialNumber));
  return accountId === null ? [] : database.lookUp<Row>(name, inAccount, [serialNumber, accountId]);
}

async function accountOf(database: Database, serialNumber: string): Promise<string | null> {
  const [row] = await database.lookUp<{ account_id: string }>('account-of-serial', accountSql, [serialNumber]);
  return row?.account_id ?? null;
}

const accountSql = `
  SELECT account_id FROM pass WHERE serial_number = $1
  UNION ALL SELECT account_id FROM deleted_pass WHERE serial_number = $1 LIMIT 1`;
