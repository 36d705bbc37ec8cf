import type { PoolConfig } from 'pg';
import type { Rows } from './connections/pipelined.js';

/** A statement that a connection plans once, under its name. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The part of pg's client that `Database` uses. */
export interface Queries {
  query(query: NamedStatement | string): Promise<Rows>;
}

/** A connection of the pool. Connections that `serviceClient` has not made lack `queryEach` and `queryAfter`. */
interface PooledClient {
  queryEach?(statements: readonly NamedStatement[]): Promise<PromiseSettledResult<Rows>[]>;
  queryAfter?(first: NamedStatement, statement: NamedStatement): Promise<Rows>;
  /** @param error ends the connection, which may no longer be usable */
  release(error?: Error): void;
}

/** The part of pg's pool that `Database` uses. TypeORM calls the pool `master`. */
export interface Pool extends Queries {
  connect(): Promise<PooledClient>;
  readonly options: PoolConfig;
  /** The class of the connections. */
  readonly Client?: { readonly prototype: object };
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** The connections of this process, and the requests that wait for one. */
export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}
