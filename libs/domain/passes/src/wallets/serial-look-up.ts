import type { Database } from '@passwright/database';
import { accountOfSerialNumber } from '../content/serial-number.js';

/** A read by serial number, with and without the account. */
interface SerialSql {
  /** Takes the serial number and the account. */
  readonly inAccount: string;
  /** Takes the serial number. */
  readonly inAll: string;
}

/**
 * Builds both statements. @param sql returns a statement for a condition on the columns of `pass` or `deleted_pass`;
 * `account` is the SQL of the account of the row, and the statement calls the row `p`
 */
export function bySerialNumber(sql: (condition: string, account: string) => string): SerialSql {
  return {
    inAccount: sql('serial_number = $1 AND account_id = $2', '$2'),
    inAll: sql('serial_number = $1', 'p.account_id'),
  };
}

/**
 * Reads the rows of a serial number: in the account that it names, or in all accounts for a pass of an earlier version.
 * @param name unique among all look-ups
 */
export function lookUpSerialNumber<Row>(
  database: Database,
  name: string,
  { inAccount, inAll }: SerialSql,
  serialNumber: string,
): Promise<Row[]> {
  const accountId = accountOfSerialNumber(serialNumber);
  return accountId === null
    ? database.lookUp<Row>(`${name}-without-account`, inAll, [serialNumber])
    : database.lookUp<Row>(name, inAccount, [serialNumber, accountId]);
}
