import type { JobsOptions } from '@passwright/jobs';
import { databaseConfig, type DatabaseConfig } from './database-config.js';
import type { TracingOptions } from '../tracing/tracing.js';
import { threadsPerProcess } from './thread-pool.js';
import { tracingConfig } from './tracing-config.js';
import type { Values } from './variables/variables.js';
import { usableCores, workerCount } from './worker-count.js';

/** The configuration of a process: its tasks, and its part of the machine and of Postgres. */
export interface ProcessConfig {
  readonly production: boolean;
  readonly role: Values['ROLE'];
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly baseUrl: string;
    readonly shutdownDelayMs: number;
    /** The time that requests in progress may take to finish when the process stops. */
    readonly requestsStopMs: number;
  };
  /** The number of processes that share the port. If there are several, a primary starts and replaces them. */
  readonly workers: number;
  /** The number of cores per process. */
  readonly cores: number;
  /** The number of threads of each process, unless UV_THREADPOOL_SIZE is set. */
  readonly threads: number;
  readonly database: DatabaseConfig;
  readonly jobs: Pick<JobsOptions, 'run'>;
  /** Null while tracing is off. */
  readonly tracing: TracingOptions | null;
}

export function processConfig(values: Values, baseUrl: string): ProcessConfig {
  const production = values.NODE_ENV === 'production';
  const workers = workerCount(values);
  return {
    production,
    role: values.ROLE,
    server: {
      host: values.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
      port: values.PORT,
      baseUrl,
      shutdownDelayMs: (values.SHUTDOWN_DELAY_SECONDS ?? (production ? 2 : 0)) * 1000,
      requestsStopMs: values.SHUTDOWN_REQUEST_SECONDS * 1000,
    },
    workers,
    cores: usableCores() / workers,
    threads: threadsPerProcess(workers),
    database: databaseConfig(values, workers),
    jobs: { run: values.ROLE !== 'api' },
    tracing: tracingConfig(values),
  };
}
