import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AppConfig } from '../config/config.js';
import { hasEmbeddedDatabase, startEmbeddedDatabase } from '../embedded-database.js';
import { OperatorModule } from './operator.module.js';

/** The command cannot be executed. The message is a sentence for the operator. */
export class OperatorFailed extends Error {}

/**
 * Runs `work` with the services in this process, even while a node is running.
 * @throws OperatorFailed without a database
 */
export async function withServices<T>(
  config: AppConfig,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  if (!config.database.url && !hasEmbeddedDatabase(config)) {
    throw new OperatorFailed(
      `There is no database yet in ${config.dataDir}: start the service once, or set DATA_DIR or DATABASE_URL as it has them.`,
    );
  }
  const embedded = await startEmbeddedDatabase(config);
  try {
    const url = config.database.directUrl ?? (embedded?.url as string);
    const services = await NestFactory.createApplicationContext(OperatorModule.forRoot(config, url), {
      logger: ['error', 'fatal'],
      abortOnError: false,
    });
    return await work(services).finally(() => services.close());
  } catch (error) {
    throw fromDatabase(error);
  } finally {
    await embedded?.stop();
  }
}

/** The Postgres error codes for a missing table and a missing column. */
const otherVersion = ['42P01', '42703'];

function fromDatabase(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && otherVersion.includes(code)) {
    return new OperatorFailed('The database is of another version: start this version of the service once.');
  }
  const isUnreachable = typeof code === 'string' && /^(E[A-Z]+|28\w{3}|3D000|57P03)$/.test(code);
  return isUnreachable ? new OperatorFailed(`The database cannot be used: ${message || code}`) : error;
}
