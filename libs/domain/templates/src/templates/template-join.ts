import type { Database } from '@passwright/database';
import { Template } from './template.entity.js';

const PREFIX = 'template.';

/**
 * Returns SQL that joins the template of a row, as `t`. Other libs may read only these columns of `t`: `archived_at`,
 * `updated_at`, `changed_in`, `revision`, `created_at`, `issuer_name` and `joinedColumns`.
 * @param accountId the SQL of the column with the account.
 * @param templateId the SQL of the column with the template's id
 */
export function joinTemplate(accountId: string, templateId: string): string {
  return `JOIN template t ON t.account_id = ${accountId} AND t.id = ${templateId}`;
}

/** Returns SQL for all columns of `t`. `splitTemplate` reads rows with these columns. */
export function joinedColumns(database: Database): string {
  return database.columnsOf(Template, 't', undefined, PREFIX);
}

/** Splits a row that has `joinedColumns` into the template and the other columns. */
export function splitTemplate<Row extends object>(row: Row): { template: Template; row: Row } {
  const template: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (name.startsWith(PREFIX)) template[name.slice(PREFIX.length)] = value;
    else others[name] = value;
  }
  return { template: Object.assign(new Template(), template), row: others as Row };
}
