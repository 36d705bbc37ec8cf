import type { DataSource } from 'typeorm';
import { SchemaNotSeen } from './own-schema.js';

/** An error for a connection that returns values in another form than pg does by default. */
export class ValuesChanged extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValuesChanged';
  }
}

const ADVICE =
  'Leave our names as they are, or give Passwright a connection of its own with DatabaseModule in place of OwnDatabaseModule.';

/**
 * Checks that the app's connection keeps the table and column names of our entities, which our SQL uses.
 * @throws SchemaNotSeen
 */
export function requireOurNames({ namingStrategy, options }: DataSource): void {
  const { entityPrefix } = options;
  const ownName = namingStrategy.tableName('Account', 'account');
  const table = entityPrefix ? namingStrategy.prefixTableName(entityPrefix, ownName) : ownName;
  const cause = entityPrefix ? `option "entityPrefix" of the connection is "${entityPrefix}"` : 'its naming strategy';
  if (table !== 'account')
    throw new SchemaNotSeen(`TypeORM would call our table account ${table} (${cause}). ${ADVICE}`);
  const column = namingStrategy.columnName('createdAt', 'created_at', []);
  if (column !== 'created_at')
    throw new SchemaNotSeen(`TypeORM would call our column created_at ${column} (its naming strategy). ${ADVICE}`);
}

/**
 * Checks that TypeORM looks for tables in the schema that the connection's own statements use. @throws SchemaNotSeen
 */
export async function requireOneSchema(source: DataSource): Promise<void> {
  const { schema } = source.options as { readonly schema?: string };
  if (schema === undefined) return;
  const [seen] = await source.query<[{ first: string | null }]>('SELECT current_schema()::text AS first');
  if (seen.first === schema) return;
  throw new SchemaNotSeen(
    `TypeORM looks for tables in the schema "${schema}" (option "schema" of the connection), but SQL on that connection ` +
      `looks in "${seen.first}". Give the connection extra: { options: '-c search_path=${schema},public' } too, or leave ` +
      'its option "schema" out.',
  );
}

/**
 * Checks that the app has not replaced pg's parsers, which the whole process shares. A parser that turns `bigint` into
 * a number is allowed.
 * @throws ValuesChanged
 */
export async function requireOurValues(source: DataSource): Promise<void> {
  const [{ at, json }] = await source.query<[{ at: unknown; json: unknown }]>(
    `SELECT now() AS at, '{}'::jsonb AS json`,
  );
  const changed = !(at instanceof Date) ? 'timestamps' : typeof json !== 'object' ? 'JSON' : null;
  if (changed === null) return;
  throw new ValuesChanged(
    `The app's connection returns ${changed} as text, because the app has replaced a parser of pg ` +
      '(types.setTypeParser). Leave that parser as it is, or use DatabaseModule in place of OwnDatabaseModule, whose ' +
      'connections have parsers of their own.',
  );
}
