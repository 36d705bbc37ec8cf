import type { Command } from 'commander';
import type { Context } from '../context.js';
import { init, type InitOptions } from './init.js';

/** Defines `passwright init`. */
export function initCommand(program: Command, context: Context): void {
  program
    .command('init')
    .description('Make passwright.yaml and a first template in this folder.')
    .option('--templates <folder>', 'Where the templates are kept.')
    .option('--no-example', 'Make no example template.')
    .option('--force', 'Change the address and the folder that passwright.yaml has.')
    .action((options: InitOptions) => init(context, options))
    .addHelpText('after', examples);
}

const examples = `
Examples:
  $ passwright init                                           asks for the address
  $ passwright init --url https://passes.example.com --templates passes/templates

Nothing secret is written. What is there already stays: another address or folder than passwright.yaml has
is asked about, or needs --force.`;
