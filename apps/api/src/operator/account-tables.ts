import type { DataSource } from 'typeorm';

/** A table with rows of accounts, or of their users. */
export interface AccountTable {
  readonly name: string;
  /** The columns to copy. */
  readonly columns: readonly string[];
  /**
   * The columns that determine the order of copying. They are not copied, because their values are valid only on this
   * server.
   */
  readonly order: readonly string[];
  readonly key: readonly string[];
  /** Selects the rows of an account. */
  readonly condition: (accountId: string) => string;
  /** True if the target may already have some of the rows, because a user may belong to accounts in both databases. */
  readonly isOfUsers: boolean;
}

/** Returns the quoted name of a table with the schema of the account's tables. */
export type Named = (table: string) => string;

const member = (accountId: string, name: Named) =>
  `SELECT uid FROM ${name('account_member')} WHERE account_id = ${text(accountId)}`;

/** The conditions that find the rows of an account in tables without a column `account_id`. */
const others: Readonly<Record<string, (accountId: string, name: Named) => string>> = {
  account: (accountId) => `id = ${text(accountId)}`,
  suspect_job: (accountId) => `payload->>'accountId' = ${text(accountId)}`,
};
const ofUsers: typeof others = {
  app_user: (accountId, name) => `uid IN (${member(accountId, name)})`,
  user_identity: (accountId, name) => `uid IN (${member(accountId, name)})`,
  user_code: (accountId, name) => `uid IN (${member(accountId, name)})`,
  known_address: (accountId, name) => `uid IN (${member(accountId, name)})`,
  encryption_key: (accountId, name) =>
    `(account_id = ${text(accountId)} OR account_id = 'users' AND id IN ` +
    `(SELECT 'user:' || uid FROM (${member(accountId, name)}) AS member))`,
};

/** The tables that a move does not copy, because their rows concern the server or all accounts. */
export const tablesThatStay = [
  'google_quota',
  'incarnation',
  'incarnation_work',
  'migration',
  'payment_event',
  'rate_limit',
];

/** Quotes a text as an SQL literal. */
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Returns a function that adds the schema to the name of a table. */
export async function namesIn(database: DataSource): Promise<Named> {
  const [row] = await database.query<[{ schema: string }]>('SELECT quote_ident(current_schema()) AS schema');
  return (table) => `${row.schema}."${table}"`;
}

interface Found {
  readonly name: string;
  readonly columns: readonly string[];
  readonly order: readonly string[];
  readonly key: readonly string[];
  readonly refers: readonly string[];
  readonly hasAccount: boolean;
}

/** Finds the tables with rows of accounts, each after the tables that it references. */
export async function accountTables(database: DataSource, name: Named): Promise<readonly AccountTable[]> {
  const found = await database.query<Found[]>(tablesSql);
  const moved = found.filter((table) => table.hasAccount || table.name in others || table.name in ofUsers);
  return inOrder(moved).map(({ name: table, columns, order, key }) => {
    const isOfUsers = table in ofUsers;
    const condition =
      (isOfUsers ? ofUsers : others)[table] ?? ((accountId: string) => `account_id = ${text(accountId)}`);
    return { name: table, columns, order, key, isOfUsers, condition: (accountId) => condition(accountId, name) };
  });
}

function inOrder(tables: readonly Found[]): Found[] {
  const left = new Map(tables.map((table) => [table.name, table]));
  const ordered: Found[] = [];
  while (left.size > 0) {
    const next = [...left.values()].find(({ name, refers }) => !refers.some((each) => each !== name && left.has(each)));
    if (!next) throw new Error(`Tables refer to each other in a circle: ${[...left.keys()].join(', ')}`);
    left.delete(next.name);
    ordered.push(next);
  }
  return ordered;
}

/**
 * Selects the columns whose values are valid only on one server: transaction numbers, snapshots and identities. In a
 * copy, they get their defaults.
 */
const isOfServer = `(a.atttypid IN ('xid8'::regtype, 'pg_snapshot'::regtype) OR a.attidentity <> '')`;

const tablesSql = `
  SELECT t.relname AS name,
    array(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attgenerated = '' AND NOT ${isOfServer} ORDER BY a.attnum) AS columns,
    array(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
      AND ${isOfServer} AND EXISTS (SELECT FROM pg_attribute i WHERE i.attrelid = t.oid AND i.attidentity <> '')
      ORDER BY a.attnum) AS "order",
    array(SELECT a.attname::text FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (c.conkey)
      WHERE c.conrelid = t.oid AND c.contype = 'p' ORDER BY a.attnum) AS key,
    array(SELECT DISTINCT r.relname::text FROM pg_constraint c JOIN pg_class r ON r.oid = c.confrelid
      WHERE c.conrelid = t.oid AND c.contype = 'f') AS refers,
    EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attname = 'account_id' AND NOT a.attisdropped)
      AS "hasAccount"
  FROM pg_class t
  WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  ORDER BY t.relname`;
