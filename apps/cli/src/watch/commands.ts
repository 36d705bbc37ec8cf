import { InvalidArgumentError, type Command } from 'commander';
import type { Context } from '../context.js';
import { watch, type WatchOptions } from './watch.js';

/** Defines `passwright watch`. */
export function watchCommand(program: Command, context: Context): void {
  program
    .command('watch')
    .description('Show events as they happen, until Ctrl-C.')
    .option('-t, --template <id>', 'Only events of this template and its passes.')
    .option(
      '--type <types>',
      'Only events of these comma-separated types, such as pass.installed,pass.removed or pass.*',
    )
    .option('--deliveries', 'After each change of a pass, also show its delivery to the wallets.')
    .option('--count <n>', 'End after this many events.', positive)
    .action((options: WatchOptions) => watch(context, options))
    .addHelpText('after', examples);
}

function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

const examples = `
Examples:
  $ passwright watch                              all events of the account
  $ passwright watch --template summer-sale
  $ passwright watch --type 'pass.*' --deliveries
  $ passwright watch --json | jq .type            one JSON object per line

After a restart of the service or a network failure, it continues where it stopped: it misses no event
and shows none twice. While it runs, the account has a webhook named "passwright watch", so the key
needs the scopes account:read, account:write, passes:read, templates:read and members:read.`;
