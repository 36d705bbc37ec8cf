import type { Command } from 'commander';
import type { Context } from '../context.js';
import { diffTemplates } from './diff.js';
import { pullTemplates, type PullOptions } from './pull.js';
import { pushTemplates, type PushOptions } from './push.js';

/** Defines `passwright templates push|pull|diff`. */
export function templateCommands(program: Command, context: Context): void {
  const templates = program
    .command('templates')
    .description('Keep templates as files: see what differs, push and pull.')
    .addHelpText('after', about);
  templates
    .command('diff [ids...]')
    .description('Show what differs between the files and the service. Exit code 3 when something does.')
    .action((ids: string[]) => diffTemplates(context, ids))
    .addHelpText('after', diffExamples);
  templates
    .command('push [ids...]')
    .description('Bring the files to the service: shows the plan, asks, applies.')
    .option('-n, --dry-run', 'Show the plan and change nothing.')
    .option('-y, --yes', 'Do not ask.')
    .option('--prune', 'Archive templates that have no file. Their passes are voided.')
    .option('--force', 'Overwrite or archive what was changed on the service since the last pull or push.')
    .option('--unarchive', 'Bring back templates that have a file and are archived.')
    .action((ids: string[], options: PushOptions) => pushTemplates(context, ids, options))
    .addHelpText('after', pushExamples);
  templates
    .command('pull [ids...]')
    .description('Bring what the service has into files, images too.')
    .option('-n, --dry-run', 'Show the plan and write nothing.')
    .option('-y, --yes', 'Do not ask.')
    .option('--force', 'Overwrite changes of the files that were not pushed.')
    .action((ids: string[], options: PullOptions) => pullTemplates(context, ids, options))
    .addHelpText('after', pullExamples);
}

const about = `
A template is a file in the folder that passwright.yaml names: <id>.yaml, <id>.yml or <id>.json.
It has the properties of POST /v1/templates/{templateId}. An image is an address, or the path of a
file seen from the template's own; it is uploaded when its content differs.
Commit passwright.lock, which push and pull write: with it, a push detects changes on the service.`;

const diffExamples = `
Examples:
  $ passwright templates diff                    all templates
  $ passwright templates diff summer-sale        one of them
  $ passwright templates diff --json             for a program
  $ passwright templates diff || echo drift      in CI: exit code 3 when something differs`;

const pushExamples = `
Examples:
  $ passwright templates push --dry-run          the plan alone
  $ passwright templates push summer-sale        one template
  $ passwright templates push --yes              in CI
  $ passwright templates push --prune            archive what has no file`;

const pullExamples = `
Examples:
  $ passwright templates pull                    all templates
  $ passwright templates pull summer-sale        one template
  $ passwright templates pull --force            give up what was not pushed`;
