import { join, resolve } from 'node:path';
import { StorageUnavailable } from '@passwright/core';
import { S3Storage } from '@passwright/storage';
import type { Command } from 'commander';
import type { AppConfig } from '../config/config.js';
import { OperatorFailed } from './operator-session.js';
import type { Prepare } from './restore-commands.js';
import { copyImages, type Copied } from './storage-copy.js';

const MIB = 2 ** 20;
const MOST_NAMED = 5;

/** Adds the `storage` commands. @param report receives lines about the progress */
export function addStorageCommands(program: Command, prepare: Prepare, report: (line: string) => void): void {
  program
    .command('storage')
    .description('The storage of images')
    .command('copy')
    .description(
      'Copy the images of a folder into the bucket of S3_BUCKET, and read each copy back. Copies only what the bucket ' +
        'lacks, so repeat it after an interruption. Deletes nothing',
    )
    .argument('[folder]', 'default: storage in DATA_DIR')
    .action(
      prepare(async (config, _environment, folder?: string) => {
        const from = resolve(folder ?? join(config.dataDir, 'storage'));
        const { bucket, copied } = await copyToBucket(config, from, report);
        return { text: textOf(copied, from, bucket), data: { folder: from, bucket, ...copied } };
      }),
    );
}

async function copyToBucket(config: AppConfig, from: string, report: (line: string) => void) {
  const { store } = config.storage;
  if (store.kind !== 's3')
    throw new OperatorFailed('Set S3_BUCKET: it names the bucket that the images are copied to.');
  const storage = await S3Storage.load(store);
  try {
    return { bucket: store.bucket, copied: requireWhole(await copyImages(from, storage, report), from) };
  } catch (error) {
    // The command has no log for the cause.
    if (error instanceof StorageUnavailable && error.cause instanceof Error)
      throw new OperatorFailed(error.cause.message);
    throw error;
  } finally {
    storage.onApplicationShutdown();
  }
}

/** @throws OperatorFailed if some images were damaged before they could be copied */
function requireWhole(copied: Copied, from: string): Copied {
  const { damaged } = copied;
  if (damaged.length === 0) return copied;
  const named = damaged.slice(0, MOST_NAMED).join(', ');
  const more = damaged.length > MOST_NAMED ? ` and ${damaged.length - MOST_NAMED} more` : '';
  throw new OperatorFailed(
    `${damaged.length} files in ${from} are damaged, because their content does not match their names; they were not ` +
      `copied, all others were: ${named}${more}. Restore them from a backup, and repeat the command.`,
  );
}

function textOf({ images, bytes, added, skipped }: Copied, from: string, bucket: string): string {
  const others = skipped > 0 ? `${skipped} other files in ${from} were left out.\n` : '';
  return (
    `All ${images} images (${(bytes / MIB).toFixed(1)} MiB) are in the bucket ${bucket}, and were read back. ` +
    `${added} were copied, ${images - added} were there.\n${others}`
  );
}
