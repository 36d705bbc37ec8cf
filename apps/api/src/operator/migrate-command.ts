import { loggedError } from '@passwright/core';
import { isDatabaseUnavailable } from '@passwright/database';
import type { Command } from 'commander';
import { databaseAt, type DatabaseAddresses, prepareDatabase } from '../database-addresses.js';
import type { DatabaseConfig } from '../config/database-config.js';
import { OperatorFailed } from './operator-session.js';
import type { Prepare } from './restore-commands.js';

/** Adds `migrate`, for deployments that migrate before they replace nodes. @param report receives the steps */
export function addMigrateCommand(program: Command, prepare: Prepare, report: (line: string) => void): void {
  program
    .command('migrate')
    .description(
      'Bring the schema of DATABASE_URL up to date, as a start of the service does. Waits for a node that migrates',
    )
    .action(
      prepare(async ({ database }) => {
        const { url, directUrl } = database;
        if (!url || !directUrl)
          throw new OperatorFailed('Set DATABASE_URL: the service migrates the embedded database at its start.');
        await migrateOnce(database, { url, directUrl }, (step) => report(`The command ${step}.\n`));
        return { text: 'The schema is that of this version.\n', data: { migrated: true } };
      }),
    );
}

/** Migrates without waiting for the database, because a deployment repeats the command. @throws OperatorFailed */
async function migrateOnce(config: DatabaseConfig, addresses: DatabaseAddresses, begins: (step: string) => void) {
  try {
    await prepareDatabase(config, addresses, begins);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    const reason = loggedError(error).message || 'no response';
    throw new OperatorFailed(`${databaseAt(addresses.directUrl)} is unavailable: ${reason}. Try again when it runs.`);
  }
}
