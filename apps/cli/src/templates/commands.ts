import type { Command } from 'commander';
import type { Context } from '../context.js';
import { diffTemplates } from './diff.js';
import { pullTemplates, type PullOptions } from './pull.js';
import { pushTemplates, type PushOptions } from './push.js';

/** Defines `passwright templates push|pull|diff`. */
export function templateCommands(program: Command, context: Context): void {
  const templates = program
    .command('templates')
    .description('Keep templates as files: compare, push and pull them.')
    .helpCommand('help [command]', 'Show help for a command.')
    .addHelpText('after', about);
  templates
    .command('diff [ids...]')
    .description('Show the differences between the files and the service. Exits with 3 if there are any.')
    .action((ids: string[]) => diffTemplates(context, ids))
    .addHelpText('after', diffExamples);
  templates
    .command('push [ids...]')
    .description('Apply the files to the service. First shows the plan and asks.')
    .option('-n, --dry-run', 'Show the plan and change nothing.')
    .option('-y, --yes', 'Do not ask.')
    .option('--prune', 'Archive templates that have no file. This voids their passes.')
    .option(
      '--force',
      'Overwrite or archive templates even if they have changed on the service since the last pull or push.',
    )
    .option('--unarchive', 'Unarchive templates that have a file.')
    .action((ids: string[], options: PushOptions) => pushTemplates(context, ids, options))
    .addHelpText('after', pushExamples);
  templates
    .command('pull [ids...]')
    .description('Write the templates of the service, with their images, to files.')
    .option('-n, --dry-run', 'Show the plan and write nothing.')
    .option('-y, --yes', 'Do not ask.')
    .option('--force', 'Overwrite files even if they have changes that were not pushed.')
    .action((ids: string[], options: PullOptions) => pullTemplates(context, ids, options))
    .addHelpText('after', pullExamples);
}

const about = `
A template is a file in the folder that passwright.yaml names: <id>.yaml, <id>.yml or <id>.json.
It has the properties of POST /v1/templates/{templateId}. An image is an address, or the path of a
file, relative to the template's file. An image file is uploaded if its content differs.
Commit passwright.lock, which push and pull write. It lets a push detect changes on the service.`;

const diffExamples = `
Examples:
  $ passwright templates diff                    all templates
  $ passwright templates diff summer-sale        one of them
  $ passwright templates diff --json             for a program
  $ passwright templates diff || echo drift      in CI: exits with 3 if anything differs`;

const pushExamples = `
Examples:
  $ passwright templates push --dry-run          only the plan
  $ passwright templates push summer-sale        one template
  $ passwright templates push --yes              in CI
  $ passwright templates push --prune            archive templates without a file`;

const pullExamples = `
Examples:
  $ passwright templates pull                    all templates
  $ passwright templates pull summer-sale        one template
  $ passwright templates pull --force            discard changes that were not pushed`;
