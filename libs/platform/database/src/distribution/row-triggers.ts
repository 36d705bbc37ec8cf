/** A trigger whose function reads all changed rows of a statement from transition tables. */
export interface StatementTrigger {
  /** The definition of the function, as Postgres prints it. */
  readonly definition: string;
  readonly function: string;
  readonly table: string;
  /** The names of the transition tables. */
  readonly rows: readonly string[];
}

/** The ending of the name of a function that Citus runs. */
export const BY_ROWS = '_by_rows';

/** Words that may follow a table in a statement and are not an alias. */
const NO_ALIAS = /^\s*(?:where|group|order|having|limit|offset|for|union|join|cross|full|left|inner|on|loop)$/i;

/**
 * Returns the definition of a function `<name>_by_rows` that does the same work on Citus. It copies the changed rows
 * into a variable first, because Citus cannot read a transition table together with a distributed table.
 * @throws Error if the function does not have the expected form
 */
export function functionByRows({ definition, function: name, table, rows }: StatementTrigger): string {
  const begin = /^BEGIN$/m;
  if (!/LANGUAGE plpgsql/.test(definition) || !begin.test(definition)) {
    throw new Error(`The function ${name} of a trigger is not written in PL/pgSQL, so it cannot run on Citus.`);
  }
  const copies = rows.map((row) => `  ${row}_rows := (SELECT jsonb_agg(to_jsonb(r)) FROM ${row} AS r);\n`).join('');
  const variables = rows.map((row) => `  ${row}_rows jsonb;\n`).join('');
  const [head = '', ...rest] = definition.split(begin);
  const body = rows.reduce((sql, row) => readFromVariable(sql, row, table), rest.join('BEGIN'));
  const declared = /^DECLARE$/m.test(head)
    ? head.replace(/^DECLARE\n/m, `DECLARE\n${variables}`)
    : `${head}DECLARE\n${variables}`;
  return declared.replace(`${name}(`, `${name}${BY_ROWS}(`) + `BEGIN\n${copies}` + body.replace(/^\n/, '');
}

/** Reads the rows in FROM and JOIN from the variable `<row>_rows` of the trigger, instead of from a transition table. */
function readFromVariable(sql: string, row: string, table: string): string {
  const from = new RegExp(`\\b(FROM|JOIN) ${row}\\b(?!\\.)(\\s+\\w+)?`, 'g');
  return sql.replace(from, (_: string, clause: string, next: string = '') => {
    const hasAlias = next !== '' && !NO_ALIAS.test(next);
    return `${clause} jsonb_populate_recordset(NULL::${table}, ${row}_rows)${hasAlias ? '' : ` AS ${row}`}${next}`;
  });
}
