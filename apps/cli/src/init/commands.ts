import type { Command } from 'commander';
import type { Context } from '../context.js';
import { init, type InitOptions } from './init.js';

/** Defines `passwright init`. */
export function initCommand(program: Command, context: Context): void {
  program
    .command('init')
    .description('Create passwright.yaml and a first template in this folder.')
    .option('--templates <folder>', 'The folder for the templates.')
    .option('--no-example', 'Do not create an example template.')
    .option('--force', 'Replace a different address or folder in passwright.yaml without asking.')
    .action((options: InitOptions) => init(context, options))
    .addHelpText('after', examples);
}

const examples = `
Examples:
  $ passwright init                                           asks for the address
  $ passwright init --url https://passes.example.com --templates passes/templates

The files contain no secrets. Existing files stay. If passwright.yaml has a different address or folder,
the command asks before it changes them, or needs --force.`;
