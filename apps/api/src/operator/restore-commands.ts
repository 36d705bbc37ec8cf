import { resolve } from 'node:path';
import { IncarnationsService, migrate } from '@passwright/database';
import type { Store } from '@passwright/storage';
import type { Command } from 'commander';
import type { AppConfig } from '../config/config.js';
import { restoreBackup, saveBackup, storageOf, type Installed } from './backup.js';
import { checkBackup } from './backup-check.js';
import type { Act, Outcome } from './operator-command.js';
import { OperatorFailed } from './operator-session.js';
import { list } from './table.js';

/** Runs work that needs only the configuration, before any services exist. */
export type Prepare = <Arguments extends readonly unknown[]>(
  work: (config: AppConfig, environment: Installed['environment'], ...given: Arguments) => Promise<Outcome>,
) => (...given: Arguments) => Promise<void>;

/** Adds `backup`, `restore` and `restored`. The last one is for a database that another tool has restored. */
export function addRestoreCommands(
  program: Command,
  act: Act,
  prepare: Prepare,
  begin: (config: AppConfig) => Promise<Outcome>,
): void {
  const backup = program
    .command('backup')
    .description("Save the database of DATABASE_URL and the files of DATA_DIR. Needs pg_dump in the server's version")
    .argument('<folder>', 'the folder for the backup; created if it is missing')
    .action(
      prepare(async (config, environment, folder: string) => {
        await saveBackup(installed(config, environment), resolve(folder));
        return { text: `Saved in ${folder}.\n${bucketNote(config)}`, data: { folder } };
      }),
    );
  addBackupCheck(backup, prepare);
  addRestore(program, prepare, begin);
  program
    .command('restored')
    .description(
      'Report that the database was restored or rolled back by other means. The service then pushes every registered ' +
        'phone once, writes Google Wallet objects again, and rejects older event cursors',
    )
    .action(act((services) => beginIncarnation(services.get(IncarnationsService))));
}

function addBackupCheck(backup: Command, prepare: Prepare): void {
  backup
    .command('check')
    .description(
      'Restore a backup into a temporary database, and compare it with its images and MASTER_KEYS. Changes neither the ' +
        'database of the service nor the backup',
    )
    .argument('<folder>')
    .option('--keys <folder>', 'the newest backup, whose keys a restore would use; default: <folder>')
    .option(
      '--scratch <folder>',
      'the folder for the temporary database, which is as large as the original; default: /tmp',
    )
    .action(
      prepare(async (config, environment, folder: string, { keys, scratch }: { keys?: string; scratch?: string }) => {
        const { store } = config.storage;
        const checked = {
          folder: resolve(folder),
          keysFolder: resolve(keys ?? folder),
          imagesIn: store.kind === 'local' ? storageOf(resolve(folder)) : null,
          schema: config.database.schema,
          masterKeys: new Set(config.encryptedSecrets.masterKeys.map(({ id }) => id)),
          environment,
        };
        const { content, problems } = await checkBackup(checked, scratch);
        const { newestChange, ...counts } = content;
        const text = list({ ...counts, 'newest change': newestChange });
        if (problems.length > 0) throw new OperatorFailed(`${text}${problems.join('\n')}`);
        return { text: `The backup in ${folder} can be restored.\n${text}${bucketNote(config)}`, data: content };
      }),
    );
}

function addRestore(program: Command, prepare: Prepare, begin: (config: AppConfig) => Promise<Outcome>): void {
  program
    .command('restore')
    .description(
      'Restore a backup into the database of DATABASE_URL and into DATA_DIR. Drops the current content of the ' +
        'database. Stop every node first',
    )
    .argument('<folder>')
    .option(
      '--keys <folder>',
      'the newest backup. With its keys, the data of holders who were erased since stays unreadable; default: <folder>',
    )
    .action(
      prepare(async (config, environment, folder: string, { keys }: { keys?: string }) => {
        const target = installed(config, environment);
        await restoreBackup(target, resolve(folder), resolve(keys ?? folder));
        await updateSchema(target);
        const { text, data } = await begin(config);
        return { text: `${text}${bucketNote(config)}`, data };
      }),
    );
}

/** Begins a new incarnation of the database, and reports it. */
export async function beginIncarnation(incarnations: IncarnationsService): Promise<Outcome> {
  const incarnation = await incarnations.begin('was restored, as the operator says');
  const text =
    `Incarnation ${incarnation} begins. Running nodes push phones and write to Google Wallet from now on; ` +
    'stopped nodes do so once they start.\n';
  return { text, data: { incarnation } };
}

/** Migrates the schema, because the backup may come from an older version. */
async function updateSchema({ url, schema }: Installed): Promise<void> {
  try {
    await migrate(url, { schema });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorFailed(`The backup is restored, but its schema could not be brought up to date: ${reason}`);
  }
}

/** Returns a note that backups do not include the images in the bucket; empty without a bucket. */
function bucketNote({ storage: { store } }: AppConfig): string {
  return store.kind === 's3'
    ? `The images in the bucket ${store.bucket} are not part of this; see docs/going-to-production.md.\n`
    : '';
}

function dirOf(store: Store): string | null {
  return store.kind === 'local' ? store.dir : null;
}

function installed({ database, storage }: AppConfig, environment: Installed['environment']): Installed {
  const { directUrl, schema, pooled } = database;
  if (directUrl) return { url: directUrl, schema, pooled, storageDir: dirOf(storage.store), environment };
  throw new OperatorFailed(
    'Set DATABASE_URL: the embedded database is backed up as a folder, with the service stopped.',
  );
}
