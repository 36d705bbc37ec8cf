import type { AppConfig } from './config.js';
import { databaseConfig } from './database-config.js';
import { threadsPerProcess } from './thread-pool.js';
import type { Values } from './variables.js';
import { workerCount } from './worker-count.js';

/** The slices of the configuration that say what a process does, and what it takes of the machine and of Postgres. */
type ProcessConfig = Pick<AppConfig, 'production' | 'role' | 'server' | 'workers' | 'threads' | 'database' | 'jobs'>;

export function processConfig(values: Values, baseUrl: string): ProcessConfig {
  const production = values.NODE_ENV === 'production';
  const workers = workerCount(values.WORKERS, values.DATABASE_POOL_SIZE);
  return {
    production,
    role: values.ROLE,
    server: {
      host: values.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
      port: values.PORT,
      baseUrl,
      shutdownDelayMs: (values.SHUTDOWN_DELAY_SECONDS ?? (production ? 2 : 0)) * 1000,
    },
    workers,
    threads: threadsPerProcess(workers),
    database: databaseConfig(values, workers),
    jobs: { run: values.ROLE !== 'api' },
  };
}
