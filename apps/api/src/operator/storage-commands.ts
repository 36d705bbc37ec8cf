import { join, resolve } from 'node:path';
import { StorageUnavailable } from '@passwright/core';
import { S3Storage } from '@passwright/storage';
import type { Command } from 'commander';
import type { AppConfig } from '../config/config.js';
import { counted } from '../counted.js';
import { OperatorFailed } from './operator-session.js';
import type { Prepare } from './restore-commands.js';
import { copyImages, type Copied } from './storage-copy.js';
import { otherImages, requireUnusedBucket } from './bucket-check.js';

const MIB = 2 ** 20;
const MOST_NAMED = 5;

/** Adds the `storage` commands. @param report receives lines about the progress */
export function addStorageCommands(program: Command, prepare: Prepare, report: (line: string) => void): void {
  program
    .command('storage')
    .description('Manage the storage of images')
    .command('copy')
    .description(
      'Copy the images of a folder into the bucket of S3_BUCKET, and read each copy back. Copies only what the bucket ' +
        'lacks, so repeat it after an interruption. Deletes nothing without --delete-others',
    )
    .argument('[folder]', 'the folder of the images; default: storage in DATA_DIR')
    .option(
      '--delete-others',
      'delete the images in the bucket that the folder lacks, such as those erased since an earlier copy. Use ' +
        'it only while every node is stopped and no node has used the bucket yet',
    )
    .action(
      prepare(async (config, _environment, folder: string | undefined, { deleteOthers = false }: Options) => {
        const from = resolve(folder ?? join(config.dataDir, 'storage'));
        const { bucket, copied, others } = await copyToBucket(config, { from, deleteOthers }, report);
        const text = textOf(copied, from, bucket) + textOfOthers(others, deleteOthers);
        return { text, data: { folder: from, bucket, ...copied, others, deletedOthers: deleteOthers } };
      }),
    );
}

interface Options {
  readonly deleteOthers?: boolean;
}

async function copyToBucket(
  config: AppConfig,
  { from, deleteOthers }: { readonly from: string; readonly deleteOthers: boolean },
  report: (line: string) => void,
) {
  const { store } = config.storage;
  if (store.kind !== 's3')
    throw new OperatorFailed('Set S3_BUCKET: it names the bucket that the images are copied to.');
  const storage = await S3Storage.load(store);
  try {
    if (deleteOthers) await requireUnusedBucket(storage);
    const copied = requireWhole(await copyImages(from, storage, report), from);
    const others = await otherImages(from, storage);
    if (deleteOthers) {
      // Check again, because a node may have used the bucket during the long copy.
      await requireUnusedBucket(storage);
      for (const key of others) await storage.delete(key);
    }
    return { bucket: store.bucket, copied, others };
  } catch (error) {
    // The command has no log, so report the cause itself.
    if (error instanceof StorageUnavailable && error.cause instanceof Error)
      throw new OperatorFailed(error.cause.message);
    throw error;
  } finally {
    storage.onApplicationShutdown();
  }
}

/** @throws OperatorFailed if some images were already damaged and not copied */
function requireWhole(copied: Copied, from: string): Copied {
  const { damaged } = copied;
  if (damaged.length === 0) return copied;
  throw new OperatorFailed(
    `${counted(damaged.length, 'damaged file')} in ${from} with content that does not match the name: ${named(damaged)}. ` +
      'All others were copied. Restore the damaged ones from a backup, and repeat the command.',
  );
}

function textOf({ images, bytes, added, skipped }: Copied, from: string, bucket: string): string {
  const others = skipped > 0 ? `Left out: ${counted(skipped, 'other file')} in ${from}.\n` : '';
  return (
    `The bucket ${bucket} has ${counted(images, 'image')} (${(bytes / MIB).toFixed(1)} MiB), all read back: ` +
    `${added} copied now, ${images - added} before.\n${others}`
  );
}

function textOfOthers(others: readonly string[], areDeleted: boolean): string {
  if (others.length === 0) return '';
  if (areDeleted) return `Deleted from the bucket: ${counted(others.length, 'image')} that the folder lacks.\n`;
  return (
    `Only in the bucket, not in the folder: ${counted(others.length, 'image')}: ${named(others)}. If no node has used the ` +
    'bucket yet, they were erased since an earlier copy: stop every node, and delete them with --delete-others.\n'
  );
}

/** Lists the first few names, and the number of the others. */
function named(all: readonly string[]): string {
  const more = all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : '';
  return `${all.slice(0, MOST_NAMED).join(', ')}${more}`;
}
