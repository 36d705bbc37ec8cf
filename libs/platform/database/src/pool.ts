import type { PoolConfig } from 'pg';

/** The part of pg's client that `Database` uses. */
export interface Queries {
  query(query: { name: string; text: string; values: readonly unknown[] } | string): Promise<{ rows: unknown[] }>;
}

/** The part of pg's pool that `Database` uses. TypeORM calls the pool `master`. */
export interface Pool extends Queries {
  readonly options: PoolConfig;
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
