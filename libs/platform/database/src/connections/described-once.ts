import type { Client } from 'pg';
import { isNamed } from './query-arguments.js';
import { type Callback, type Statement, type Wire, WireQuery, withStack } from './wire-query.js';

/** The columns of a statement, in the properties where pg's result keeps them. */
interface Columns {
  readonly fields: readonly unknown[];
  readonly _parsers: readonly unknown[] | undefined;
  readonly _prebuiltEmptyResultObject: object | null;
}

/** The parsers of values by type. pg sets them only for statements that it gets directly. */
interface Parsers {
  _types: object | undefined;
}

/** The columns of the prepared statements of one connection. */
export class KnownColumns {
  private readonly byName = new Map<string, Columns>();
  /** A view of the connection that does not send the message that asks for the columns. */
  readonly withoutDescribe: Wire;

  constructor(connection: Wire) {
    this.withoutDescribe = Object.create(connection, { describe: { value: () => undefined } }) as Wire;
  }

  get(name: string | undefined): Columns | undefined {
    return name === undefined ? undefined : this.byName.get(name);
  }

  add(name: string | undefined, { fields, _parsers, _prebuiltEmptyResultObject }: Columns): void {
    if (name !== undefined) this.byName.set(name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

/**
 * A prepared statement that asks the server for its columns only once on each connection, because reading their
 * description costs more than reading a row. The columns cannot change: after a change of the schema, the server keeps
 * the same columns or rejects the statement.
 */
export class DescribedOnceQuery extends WireQuery {
  declare private _result: Columns & Parsers;
  declare private _accumulateRows: boolean;

  constructor(
    private readonly known: KnownColumns,
    private readonly described: Statement,
  ) {
    super(described);
  }

  override prepare(connection: Wire): void {
    const columns = this.known.get(this.described.name);
    if (!columns) return super.prepare(connection);
    Object.assign(this._result, columns);
    this._accumulateRows = true;
    super.prepare(this.known.withoutDescribe);
  }

  /** Parses values with the parsers of another statement of the connection. */
  parseLike({ _result }: DescribedOnceQuery): void {
    this._result._types ??= _result._types;
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    this.known.add(this.described.name, this._result);
  }
}

/**
 * Changes `query` of a connection, so that each prepared statement asks for its columns once. @returns the columns that
 * this connection knows
 */
export function describeOnce(client: Client): KnownColumns {
  const ask = client.query.bind(client) as (...args: unknown[]) => unknown;
  const known = new KnownColumns(client.connection as unknown as Wire);
  const query = (statement: unknown, values?: unknown, callback?: Callback): unknown => {
    if (!isNamed(statement) || values !== undefined) return ask(statement, values, callback);
    const described = new DescribedOnceQuery(known, statement);
    if (callback) return ask(described, undefined, callback);
    return new Promise((resolve, reject) => {
      ask(described, undefined, (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)));
    }).catch(withStack);
  };
  Object.assign(client, { query });
  return known;
}
