import { AppError } from '@passwright/core';
import { IncarnationsService } from '@passwright/database';
import { Command, CommanderError } from 'commander';
import { loadConfig } from '../config/config.js';
import { ConfigInvalid } from '../config/config-validation.js';
import { addAccountCommands } from './account-commands.js';
import { addJobCommands } from './job-commands.js';
import { addKeyCommands, addUserCommands } from './key-commands.js';
import { addDatabaseCommands, addMigrateCommand } from './database-commands.js';
import { addMoveCommands } from './move-commands.js';
import { addRestoreCommands, beginIncarnation, type Prepare } from './restore-commands.js';
import { addStorageCommands } from './storage-commands.js';
import { terminalText } from '../terminal-text.js';
import type { Act, Outcome } from './operator-command.js';
import { OperatorFailed, withServices } from './operator-session.js';

/** Builds the operator's command line. It throws failures, and reports wrong usage on standard error. */
function operatorProgram(
  environment: Readonly<Record<string, string | undefined>>,
  print: (text: string) => void,
  complain: (text: string) => void,
): Command {
  const program = new Command('operator')
    .description(
      'Manages accounts, jobs, backups and the database. Reads the configuration of the service: .env, or the environment.',
    )
    .option('--json', 'print JSON, for programs')
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: complain })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Add --help to see the commands and options.');
  const show = ({ text, data }: Outcome) =>
    print(program.opts<{ json?: boolean }>().json ? `${JSON.stringify(data, null, 2)}\n` : text);
  const act: Act =
    (work) =>
    async (...given) => {
      const config = loadConfig(environment);
      show(await withServices(config, (services) => work(services, ...(given.slice(0, -1) as never))));
    };
  const prepare: Prepare =
    (work) =>
    async (...given) =>
      show(await work(loadConfig(environment), environment, ...given));
  addAccountCommands(program, act);
  addUserCommands(program, act);
  addKeyCommands(program, act);
  addJobCommands(program, act);
  addMigrateCommand(program, prepare, complain);
  addDatabaseCommands(program, prepare, complain);
  addMoveCommands(program, act, prepare);
  addStorageCommands(program, prepare, complain);
  addRestoreCommands(program, act, prepare, (config) =>
    withServices(config, (services) => beginIncarnation(services.get(IncarnationsService))),
  );
  return program;
}

/**
 * Runs a command.
 * @param words the words after the command's name. @param complain receives error messages
 * @returns the exit code. 0: done. 1: failed. 2: wrong usage
 */
export async function runOperator(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  print: (text: string) => void,
  complain: (text: string) => void,
): Promise<number> {
  try {
    await operatorProgram(
      environment,
      (text) => print(terminalText(text)),
      (text) => complain(terminalText(text)),
    ).parseAsync([...words], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already reported the wrong usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    complain(terminalText(`${sentenceOf(error).trimEnd()}\n`));
    return 1;
  }
}

/** Returns the message of a known failure, or all details of an unknown one. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isKnown = [AppError, OperatorFailed, ConfigInvalid].some((known) => error instanceof known);
  return isKnown || error.name.endsWith('Failed') ? error.message : (error.stack ?? error.message);
}
