import { functionByRows } from './row-triggers.js';

const definition = (body: string) => `CREATE OR REPLACE FUNCTION public.count_issued()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
${body}
$function$
`;
const trigger = { function: 'count_issued', table: 'pass', rows: ['issued', 'before'] };

it('functionByRows copies the changed rows into variables before the first statement', () => {
  const sql = functionByRows({
    ...trigger,
    definition: definition('DECLARE\n  one record;\nBEGIN\n  RETURN NULL;\nEND'),
  });
  expect(sql).toContain('FUNCTION public.count_issued_by_rows()');
  expect(sql).toContain('DECLARE\n  issued_rows jsonb;\n  before_rows jsonb;\n  one record;\nBEGIN\n  issued_rows := ');
});

it('functionByRows declares its variables in a function that has no variables', () => {
  const sql = functionByRows({ ...trigger, definition: definition('BEGIN\n  RETURN NULL;\nEND') });
  expect(sql).toContain('AS $function$\nDECLARE\n  issued_rows jsonb;\n  before_rows jsonb;\nBEGIN\n');
});

it.each([
  ['FROM issued LIMIT 1', 'FROM jsonb_populate_recordset(NULL::pass, issued_rows) AS issued LIMIT 1'],
  ['FROM issued;', 'FROM jsonb_populate_recordset(NULL::pass, issued_rows) AS issued;'],
  ['JOIN issued e ON', 'JOIN jsonb_populate_recordset(NULL::pass, issued_rows) e ON'],
  ['FROM issued AS e', 'FROM jsonb_populate_recordset(NULL::pass, issued_rows) AS e'],
  ['FROM issued\n  WHERE x', 'FROM jsonb_populate_recordset(NULL::pass, issued_rows) AS issued\n  WHERE x'],
  ['FROM issued.rows', 'FROM issued.rows'],
  ['FROM issued_pass', 'FROM issued_pass'],
])('functionByRows replaces the table in "%s" with the variable, if it is the transition table', (before, after) => {
  const sql = functionByRows({ ...trigger, definition: definition(`BEGIN\n  PERFORM ${before}\nEND`) });
  expect(sql).toContain(`PERFORM ${after}`);
});

it('functionByRows rejects a function in another language', () => {
  const sql = definition('SELECT 1').replace('plpgsql', 'sql');
  expect(() => functionByRows({ ...trigger, definition: sql })).toThrow('count_issued');
});
