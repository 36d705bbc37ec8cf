import { Injectable } from '@nestjs/common';
import { jsonSize, PAGE_BYTES } from '@passwright/core';
import { Database, repeatedRead } from '@passwright/database';
import type { AccountTable } from './account-data.service.js';

type Row = Record<string, unknown>;

/** Number of rows deleted in one transaction. */
export const deletedAtOnce = 2000;
const firstReadAtOnce = 5;
/** The maximum number of rows in one read. It is small, because one row can take 200 KB. */
const mostReadAtOnce = 25;

/** A row as an export shows it, and the salt of its encrypted columns. */
export interface ShownRow {
  readonly shown: Row;
  readonly salt: string | null;
}

/** Deletes and reads the rows of one account, table by table and in batches, in the order of their keys. */
@Injectable()
export class AccountRowsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Deletes a batch of rows.
   * @param after the key of the last row of the previous batch
   * @returns the key of the last deleted row; null if no rows are left
   */
  async deletePage(accountId: string, table: AccountTable, after: Row | null): Promise<Row | null> {
    const sql = deletePageSql(table, after !== null);
    const values = [accountId, deletedAtOnce, ...keyValues(table, after)];
    const rows = await this.database.transaction((tx) => tx.query<Row[]>(sql, values));
    return rows.length === deletedAtOnce ? (rows.at(-1) ?? null) : null;
  }

  /**
   * Reads all rows of the account in batches, without hidden columns. After large rows, uses smaller batches. Reads a
   * batch again if the database was unavailable.
   */
  async *read(accountId: string, table: AccountTable): AsyncGenerator<readonly ShownRow[]> {
    let limit = firstReadAtOnce;
    for (let after: Row | null = null; ;) {
      const values: unknown[] = [accountId, limit, ...keyValues(table, after)];
      const sql = readPageSql(table, after !== null);
      const rows: (ShownRow & { key: Row })[] = await repeatedRead(() => this.database.reads.query(sql, values));
      yield rows;
      if (rows.length < limit) return;
      after = rows.at(-1)?.key ?? null;
      const inPage = Math.floor((PAGE_BYTES * rows.length) / jsonSize(rows));
      limit = Math.min(mostReadAtOnce, Math.max(1, inPage));
    }
  }
}

const keyValues = ({ key }: AccountTable, after: Row | null) => (after ? key.map((column) => after[column]) : []);

/**
 * Builds the query for a batch of keys, in primary key order. The names of tables and columns come only from the code.
 */
function pageSql({ table, key }: AccountTable, goesOn: boolean): string {
  const columns = key.join(', ');
  const position = key.map((_, index) => `$${index + 3}`).join(', ');
  const isAfter = goesOn ? `AND (${columns}) > (${position})` : '';
  return `SELECT ${columns} FROM ${table} WHERE account_id = $1 ${isAfter} ORDER BY account_id, ${columns} LIMIT $2`;
}

/**
 * Builds the statement that deletes a batch of rows. Locks the rows in the order of their keys, like every other
 * statement, to avoid deadlocks.
 */
function deletePageSql(table: AccountTable, goesOn: boolean): string {
  const { table: name, key } = table;
  if (key.length === 0) return `WITH one AS (SELECT $2::integer) DELETE FROM ${name} WHERE account_id = $1`;
  const same = key.map((column) => `gone.${column} = page.${column}`).join(' AND ');
  return `
    WITH page AS MATERIALIZED (${pageSql(table, goesOn)} FOR UPDATE), deleted AS (
      DELETE FROM ${name} AS gone USING page WHERE gone.account_id = $1 AND ${same}
    )
    SELECT * FROM page`;
}

function readPageSql(table: AccountTable, goesOn: boolean): string {
  const { table: name, key, hidden = [], shownAs = {}, encryptedAs, recordColumn = 'id' } = table;
  const left = ['account_id', ...(hidden === 'all' ? [] : hidden)].join(',');
  const replaced = Object.entries(shownAs).map(([column, sql]) => ` || jsonb_build_object('${column}', ${sql})`);
  const without = `((to_jsonb(own) - '{${left}}'::text[])${replaced.join('')})`;
  const salt = encryptedAs
    ? `(SELECT encode(k.salt, 'hex') FROM encryption_key k WHERE k.account_id = $1 AND k.id = '${encryptedAs}:' || own.${recordColumn})`
    : 'NULL';
  if (key.length === 0)
    return `SELECT '{}'::jsonb AS key, ${without} AS shown, NULL AS salt FROM ${name} own WHERE account_id = $1 LIMIT $2`;
  return `
    SELECT to_jsonb(page) AS key, ${without} AS shown, ${salt} AS salt
    FROM (${pageSql(table, goesOn)}) AS page JOIN ${name} own ON own.account_id = $1
      AND ${key.map((column) => `own.${column} = page.${column}`).join(' AND ')}
    ORDER BY ${key.map((column) => `page.${column}`).join(', ')}`;
}
