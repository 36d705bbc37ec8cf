import type { DataSource } from 'typeorm';
import { SchemaNotSeen } from './own-schema.js';

const ADVICE =
  'Leave our names as they are, or give Passwright a connection of its own with DatabaseModule in place of OwnDatabaseModule.';

/**
 * Checks that the app's connection keeps the names that our entities give themselves, because our SQL uses them too.
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
 * Checks that TypeORM looks for tables where the connection's own statements do. @throws SchemaNotSeen
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
