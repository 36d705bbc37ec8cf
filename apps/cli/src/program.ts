import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, Help, type Option } from 'commander';
import { Context, type GlobalOptions } from './context.js';
import { doctorCommands } from './doctor/commands.js';
import { exitCodeOf, exitCodes, Failure, Interrupted } from './failures.js';
import { initCommand } from './init/commands.js';
import type { Io } from './io.js';
import { loginCommands } from './login/commands.js';
import { passCommands } from './passes/commands.js';
import { sayFailure } from './service-errors.js';
import { templateCommands } from './templates/commands.js';
import { watchCommand } from './watch/commands.js';

/**
 * Runs a command. Never throws: it prints every failure on stderr.
 * @param argv without the interpreter and the script
 * @returns the exit code, one of `exitCodes`
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const context = new Context(io);
  // Set these options before parsing, so that a parse error is also printed in the requested form.
  context.use({ json: argv.includes('--json'), color: !argv.includes('--no-color') });
  try {
    await programOf(context).parseAsync(argv, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    // A request that Ctrl-C aborted fails with the signal's reason.
    const failure = io.signal.aborted && !(error instanceof Failure) ? new Interrupted() : error;
    sayFailure(failure, context);
    return exitCodeOf(failure);
  }
}

/** Builds the tree of commands. It is exported for a test that compares the commands with the documentation. */
export function programOf(context: Context): Command {
  const program = new Command('passwright')
    .description(
      'Manage wallet passes from your terminal: templates as files, passes from tables, events as they happen.',
    )
    .version(version(), '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Show help for a command.')
    .configureOutput({
      writeOut: (text) => void context.io.stdout.write(text),
      writeErr: (text) => void context.io.stderr.write(text),
      getOutHelpWidth: () => Math.min(100, context.io.stdout.columns ?? 100),
      getErrHelpWidth: () => 100,
      getOutHasColors: () => context.output.colours(context.io.stdout),
      getErrHasColors: () => context.output.colours(context.io.stderr),
      outputError: (text) => sayWrongUsage(text, context),
    })
    .configureHelp({
      styleTitle: (title) => context.output.style('bold', title),
      subcommandTerm: (command) =>
        [command.name(), command.usage().replace(/\[options\] ?|\[command\]/g, '')].join(' ').trim(),
      groupItems: ownOptionsFirst,
    })
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride();
  program.hook('preAction', (_program, command) => context.use(command.optsWithGlobals<GlobalOptions>()));
  program.addHelpText('after', closing);
  program.commandsGroup('Set up:');
  initCommand(program, context);
  loginCommands(program, context);
  program.commandsGroup('Work with passes:');
  templateCommands(program, context);
  passCommands(program, context);
  watchCommand(program, context);
  program.commandsGroup('Run a service:');
  doctorCommands(program, context);
  program.commandsGroup('More:').helpCommand('help [command]', 'Show help for a command.');
  leavesOf(program).forEach(addGlobalOptions);
  return program;
}

/** The heading of the options that every command has. */
const everywhere = 'Everywhere:';

/** Groups the lines of a help, with the options that every command has at the end. */
function ownOptionsFirst<T extends Command | Option>(items: T[], visible: T[], groupOf: (item: T) => string) {
  const groups = [...new Help().groupItems(items, visible, groupOf)];
  return new Map(groups.sort(([one], [other]) => Number(one === everywhere) - Number(other === everywhere)));
}

/** Prints an error of Commander like our own errors, with its suggestion as the hint. */
function sayWrongUsage(text: string, { output }: Context): void {
  const [said = '', ...suggestion] = text
    .replace(/^error: /, '')
    .trim()
    .split('\n');
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1)}`.replace(/\.?$/, '.');
  const hint = misplaced.test(sentence)
    ? 'Put it after the command, as in: passwright whoami --json'
    : suggestion.join(' ').replace(/^\((.*)\)$/, '$1') || 'Add --help to see the commands and options.';
  output.failure(sentence, { hint, code: 'wrong_usage' });
}

/** Matches the error about an option of every command that is before the command or without one. */
const misplaced = /^Unknown option '--(?:json|profile|url|no-color)'/;

const closing = `
First steps:
  $ passwright init                 create passwright.yaml and a first template
  $ passwright login                create a key for this machine
  $ passwright templates push       apply the templates to the service

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 differences (templates diff),
4 conflicts with changes on the service (templates push), 130 stopped by Ctrl-C.
Environment: PASSWRIGHT_URL, PASSWRIGHT_KEY (for CI), PASSWRIGHT_PROFILE, NO_COLOR.`;

function addGlobalOptions(command: Command): void {
  command
    .optionsGroup(everywhere)
    .option('--json', 'Print JSON for programs instead of text.')
    .option('--profile <name>', 'Use the service and key that are stored under this name.')
    .option('--url <address>', 'Use the service at this address.')
    .option('--no-color', 'Print without colours.');
}

/** Returns the commands that do something, without those that only group subcommands. */
const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** Returns the version of this package. `package.json` is in the folder above `src` and `dist`. */
function version(): string {
  const text = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
