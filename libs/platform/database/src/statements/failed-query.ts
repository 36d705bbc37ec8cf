import { QueryFailedError } from 'typeorm';

/** Returns a handler that throws a driver's error as TypeORM does. */
export function asQueryFailed(sql: string, values: readonly unknown[]) {
  return (error: Error): never => {
    throw new QueryFailedError(sql, [...values], error);
  };
}
