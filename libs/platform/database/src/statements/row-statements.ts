import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm';

export type EntityClass<Entity extends ObjectLiteral> = new () => Entity;

/** A statement that each connection plans once, under its name. */
export interface NamedStatement {
  readonly name: string;
  readonly sql: string;
}

/** A statement with the values of its parameters. */
export interface FilledStatement extends NamedStatement {
  readonly values: readonly unknown[];
}

/**
 * Builds and caches the statements for single rows of entities. TypeORM would build them, and Postgres would plan them,
 * on each call.
 */
export class RowStatements {
  private readonly known = new Map<string, NamedStatement>();

  constructor(private readonly dataSource: DataSource) {}

  /** Builds a `SELECT` of all columns, named by their properties. @param key the properties to search by */
  select<Entity extends ObjectLiteral>(entity: EntityClass<Entity>, key: readonly string[]): NamedStatement {
    const metadata = this.dataSource.getMetadata(entity);
    return this.once(`select ${metadata.tablePath} ${key.join()}`, () => {
      const table = metadata.tablePath;
      // The subqueries of virtual columns use the account parameter of the statement.
      const account = key.includes('accountId') ? `$${key.indexOf('accountId') + 1}` : undefined;
      return `SELECT ${this.columns(entity, table, account)} FROM ${table} WHERE ${conditionsOf(metadata, key).join(' AND ')}`;
    });
  }

  /**
   * Returns all columns for a `SELECT`, named by their properties. @param alias the name of the table in the statement
   * @param account an SQL expression for the account in subqueries of virtual columns. @param prefix begins each name
   */
  columns(entity: EntityClass<ObjectLiteral>, alias: string, account?: string, prefix = ''): string {
    return this.dataSource
      .getMetadata(entity)
      .columns.map(({ databaseName, propertyName, query }) => {
        const own = query?.(alias);
        const looked = account === undefined ? own : own?.replaceAll(`${alias}.account_id`, account);
        const value = looked === undefined ? `${alias}."${databaseName}"` : `(${looked})`;
        return `${value} AS "${prefix}${propertyName}"`;
      })
      .join(', ');
  }

  /** Builds the `INSERT` of a row, with its values. Undefined properties get the column's default. */
  insertion<Entity extends ObjectLiteral>(entity: EntityClass<Entity>, row: Entity): FilledStatement {
    const properties = definedIn(row);
    return { ...this.insert(entity, properties), values: this.values(entity, properties, row) };
  }

  /** Builds an `INSERT` of these properties. */
  insert<Entity extends ObjectLiteral>(entity: EntityClass<Entity>, properties: readonly string[]): NamedStatement {
    const metadata = this.dataSource.getMetadata(entity);
    return this.once(`insert ${metadata.tablePath} ${properties.join()}`, () => {
      const names = columnNames(metadata, properties);
      const places = names.map((_, index) => `$${index + 1}`);
      return `INSERT INTO ${metadata.tablePath} (${names.join(', ')}) VALUES (${places.join(', ')})`;
    });
  }

  /** Builds the `UPDATE` of the row with this key, with its values. Undefined properties are left alone. */
  change<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    key: Partial<Entity>,
    changes: Partial<Entity>,
  ): FilledStatement {
    const [keys, properties] = [definedIn(key), definedIn(changes)];
    const values = [...this.values(entity, keys, key), ...this.values(entity, properties, changes)];
    return { ...this.update(entity, keys, properties), values };
  }

  /** Builds an `UPDATE` of these properties. The first parameters are the values of the key. */
  update<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    key: readonly string[],
    properties: readonly string[],
  ): NamedStatement {
    const metadata = this.dataSource.getMetadata(entity);
    return this.once(`update ${metadata.tablePath} ${key.join()} ${properties.join()}`, () => {
      const changes = columnNames(metadata, properties).map((name, index) => `${name} = $${key.length + index + 1}`);
      const conditions = conditionsOf(metadata, key).join(' AND ');
      return `UPDATE ${metadata.tablePath} SET ${changes.join(', ')} WHERE ${conditions}`;
    });
  }

  /**
   * Builds the `INSERT` of many rows, with its first value. All rows must have the properties of the first.
   * @param condition SQL that follows `FROM <rows> r`; its parameters begin with `$2`
   */
  insertionOfMany<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    rows: readonly [Entity, ...Entity[]],
    onConflict: '' | 'ON CONFLICT DO NOTHING',
    returning: string,
    condition = '',
  ): FilledStatement {
    const properties = definedIn(rows[0]);
    const statement = this.insertMany(entity, properties, onConflict, returning, condition);
    return { ...statement, values: [this.rowsJson(entity, properties, rows)] };
  }

  /**
   * Builds an `INSERT` of these properties for many rows. Its first parameter is the result of `rowsJson`.
   * @param condition SQL that follows `FROM <rows> r`; its parameters begin with `$2`
   */
  insertMany<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    properties: readonly string[],
    onConflict: '' | 'ON CONFLICT DO NOTHING',
    returning: string,
    condition = '',
  ): NamedStatement {
    const metadata = this.dataSource.getMetadata(entity);
    const table = metadata.tablePath;
    return this.once(`insert many ${table} ${onConflict} ${returning} ${condition} ${properties.join()}`, () => {
      const names = columnNames(metadata, properties);
      const rows = `json_populate_recordset(NULL::${table}, $1::json) AS r ${condition}`;
      const selected = names.map((name) => `r.${name}`);
      const [value] = columnNames(metadata, [returning]);
      return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${selected.join(', ')} FROM ${rows} ${onConflict}
        RETURNING ${value} AS value`;
    });
  }

  /**
   * Serializes rows for `insertMany`. Omits nulls, because Postgres parses less and reads a missing property as null.
   */
  rowsJson<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    properties: readonly string[],
    rows: readonly Entity[],
  ): string {
    const metadata = this.dataSource.getMetadata(entity);
    const columns = properties.map(
      (property) => [property, metadata.findColumnWithPropertyName(property)?.databaseName ?? property] as const,
    );
    const text = (value: unknown): unknown =>
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
    const plain = (row: Entity) => {
      const values: Record<string, unknown> = {};
      for (const [property, name] of columns) {
        const value: unknown = row[property];
        if (value !== null) values[name] = text(value);
      }
      return values;
    };
    return JSON.stringify(rows.map(plain));
  }

  /**
   * Returns the parameters of `insert` and `update`. JSON is passed as text, because `pg` would turn JavaScript arrays into Postgres
   * arrays.
   */
  values<Entity extends ObjectLiteral>(
    entity: EntityClass<Entity>,
    properties: readonly string[],
    row: Partial<Entity>,
  ) {
    const metadata = this.dataSource.getMetadata(entity);
    return properties.map((property) => {
      const value: unknown = row[property];
      return value !== null && metadata.findColumnWithPropertyName(property)?.type === 'jsonb'
        ? JSON.stringify(value)
        : value;
    });
  }

  private once(what: string, write: () => string): NamedStatement {
    let statement = this.known.get(what);
    if (!statement) {
      // Shorten the name, because Postgres cuts names after 63 bytes.
      statement = { name: `row-${this.known.size + 1}-${what.slice(0, 40)}`, sql: write() };
      this.known.set(what, statement);
    }
    return statement;
  }
}

function conditionsOf(metadata: EntityMetadata, key: readonly string[]): string[] {
  return columnNames(metadata, key).map((name, index) => `${name} = $${index + 1}`);
}

function columnNames(metadata: EntityMetadata, properties: readonly string[]): string[] {
  return properties.map((property) => {
    const column = metadata.findColumnWithPropertyName(property);
    if (!column) throw new Error(`${metadata.name} has no column ${property}`);
    return `"${column.databaseName}"`;
  });
}

/** Lists the properties of a row that are not undefined. */
function definedIn(row: ObjectLiteral): string[] {
  return Object.keys(row).filter((property) => row[property] !== undefined);
}
