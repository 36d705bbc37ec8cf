import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testDatabase } from '@passwright/testing';
import { DataSource, Entity, PrimaryColumn } from 'typeorm';
import { RunningService } from '../support/running-service.js';

let service: RunningService;
let dataSource: DataSource;

beforeAll(async () => {
  service = await RunningService.start();
  dataSource = service.app.get(DataSource);
});
afterAll(() => service.stop());

/** Patterns of differences to ignore: parts of the schema that only migrations define. */
const beyondEntities = [
  // Entities leave out constraints and indexes that only the database needs.
  /^ALTER TABLE "\w+" DROP CONSTRAINT "\w+_(fkey|key|check)"$/,
  /^DROP INDEX "public"\."\w+_(idx|key)"$/,
  // The collation differs, but not the type: ids are compared bytewise.
  /^ALTER TABLE "\w+" ALTER COLUMN "\w+" TYPE text COLLATE "undefined"$/,
  // Only the database writes and reads these columns.
  /^ALTER TABLE "\w+" DROP COLUMN "(changed_in|listed_in|registered_in|recorded_in|position|beaten_in)"$/,
];

describe('entities and migrations', () => {
  it('entities and migrations agree on tables, columns and primary keys', async () => {
    // Otherwise the comparison would leave these entities out.
    for (const metadata of dataSource.entityMetadatas) metadata.synchronize = true;
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    const differences = upQueries
      .map(({ query }) => query.trim())
      .filter((query) => !beyondEntities.some((pattern) => pattern.test(query)));
    expect(differences).toEqual([]);
  });

  it('every entity names its columns, because an app may have another naming strategy', () => {
    const unnamed = dataSource.entityMetadatas.flatMap(({ tableName, columns }) =>
      columns
        .filter((column) => column.databaseName !== (column.givenDatabaseName ?? column.propertyName))
        .map((column) => `${tableName}.${column.propertyName} is named ${column.databaseName} by the naming strategy`),
    );
    expect(unnamed).toEqual([]);
  });

  it('an app that lets TypeORM synchronize its own tables does not change the tables of the service', async () => {
    @Entity('own_of_the_app')
    class OwnTable {
      @PrimaryColumn({ type: 'text' })
      name!: string;
    }
    const [columns, keys] = [await allColumns(), await primaryKeys()];
    const entities = [OwnTable, ...dataSource.entityMetadatas.map(({ target }) => target)];
    const { url } = await testDatabase();
    const source = await new DataSource({ type: 'postgres', url, entities, synchronize: true }).initialize();
    await source.query('DROP TABLE own_of_the_app');
    await source.destroy();
    expect([await allColumns(), await primaryKeys()]).toEqual([columns, keys]);
  });

  it('every table without an entity belongs to a library', async () => {
    const entities = dataSource.entityMetadatas.map(({ tableName }) => tableName);
    const tables = Object.keys(await primaryKeys());
    expect(tables.filter((table) => !entities.includes(table)).sort()).toEqual([
      'encryption_key',
      'migration',
      'rate_limit',
      'suspect_job',
    ]);
    expect(entities.filter((table) => !tables.includes(table))).toEqual([]);
  });
});

describe('primary keys', () => {
  it('primary keys begin with the account, except for those listed in docs/decisions/0001', async () => {
    const { account, ...keys } = await primaryKeys();
    expect(account).toEqual(['id']);
    const others = Object.entries(keys).filter(([, columns]) => columns[0] !== 'account_id');
    const text = readFileSync(join(__dirname, '../../../../docs/decisions/0001-account-first-keys.md'), 'utf8');
    const listed = rowsOf(text, '**Exceptions').flatMap(([names = '', columns = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, columns.replaceAll('`', '')]),
    );
    expect(listed.sort()).toEqual(others.map(([name, columns]) => [name, columns.join(', ')]).sort());
  });

  it('every unique index of an account table contains the account, as partitioning requires', async () => {
    const rows = await dataSource.query<{ name: string }[]>(
      `SELECT i.indexrelid::regclass::text AS name
       FROM pg_index i
       JOIN pg_class t ON t.oid = i.indrelid AND t.relnamespace = 'public'::regnamespace
       JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'account_id'
       JOIN pg_index p ON p.indrelid = t.oid AND p.indisprimary AND p.indkey[0] = a.attnum
       WHERE i.indisunique AND a.attnum <> ALL (i.indkey::int2[])`,
    );
    expect(rows).toEqual([]);
  });

  it('primary keys are compared bytewise, so that the order of lists is the same in every locale', async () => {
    const rows = await dataSource.query<{ name: string; collation: string }[]>(
      `SELECT c.table_name || '.' || c.column_name AS name, c.collation_name AS collation
       FROM information_schema.columns c
       JOIN information_schema.key_column_usage k USING (table_schema, table_name, column_name)
       WHERE c.table_schema = 'public' AND c.data_type IN ('text', 'character varying')`,
    );
    expect(rows.length).toBeGreaterThan(10);
    const typeNames = ['template.type', 'pass.template_type'];
    const others = rows.filter(({ name, collation }) => collation !== 'C' && !typeNames.includes(name));
    expect(others).toEqual([]);
  });
});

it('docs/privacy.md states how long each table is kept', async () => {
  const text = readFileSync(join(__dirname, '../../../../docs/privacy.md'), 'utf8');
  const rows = rowsOf(text, '## How long each table is kept');
  const named = rows.flatMap(([names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect([...named].sort()).toEqual(Object.keys(await primaryKeys()).sort());
  for (const cells of rows) expect(cells.map((cell) => cell.length > 0)).toEqual([true, true, true]);
});

/** Finds the rows below a heading that begin with a name in backticks. Returns their cells. */
function rowsOf(document: string, heading: string): string[][] {
  const [, section = ''] = document.split(heading);
  const rows = section.split('\n').filter((line) => /^\| *`/.test(line));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('database functions', () => {
  it('no function sets a planner switch, which would also apply to functions that it calls', async () => {
    const rows = await dataSource.query<{ name: string }[]>(
      `SELECT proname AS name FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace AND proconfig::text ~ '(enable_|jit|_cost|plan_cache_mode)'`,
    );
    expect(rows).toEqual([]);
  });
});

describe('statements with system columns that partitions do not support', () => {
  it('no database function uses ctid or returns xmax', async () => {
    const rows = await dataSource.query<{ name: string }[]>(
      `SELECT proname AS name FROM pg_proc
       WHERE pronamespace = 'public'::regnamespace AND prosrc ~* '(\\mctid\\M|returning xmax)'`,
    );
    expect(rows).toEqual([]);
  });

  it('no source uses ctid or returns xmax', () => {
    const root = join(__dirname, '../../../..');
    const sources = ['libs', 'apps'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => /\/src\/.*\.ts$/.test(path) && !/node_modules|\.(int-)?spec\.ts$|\/migrations\//.test(path))
        .map((path) => join(root, folder, path)),
    );
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.filter((path) => /\bctid\b|RETURNING xmax/.test(readFileSync(path, 'utf8')))).toEqual([]);
  });
});

function allColumns(): Promise<object[]> {
  return dataSource.query<object[]>(
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'public' ORDER BY table_name, column_name`,
  );
}

/** Returns the columns of each table's primary key, in order. */
async function primaryKeys(): Promise<Record<string, string[]>> {
  const rows = await dataSource.query<{ table: string; columns: string[] }[]>(
    `SELECT t.relname AS "table", coalesce(
       array_agg(a.attname::text ORDER BY array_position(i.indkey::int[], a.attnum::int)) FILTER (WHERE a.attnum IS NOT NULL), '{}') AS columns
     FROM pg_class t
     JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'public'
     LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
     LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
     WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition
     GROUP BY t.relname`,
  );
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
}
