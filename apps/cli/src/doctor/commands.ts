import type { Command } from 'commander';
import type { Context } from '../context.js';
import { runOfService } from './installed-service.js';

/** Defines `passwright doctor` and `passwright operator`, which run the command lines of the installed service. */
export function doctorCommands(program: Command, context: Context): void {
  const entries = [
    ['doctor', 'Find what is wrong with an installation, and how to fix it. Runs where the service is installed.'],
    ['operator', 'Manage accounts, plans and keys. Runs where the service is installed.'],
  ] as const;
  for (const [name, about] of entries) {
    program
      .command(name)
      .description(about)
      .argument('[words...]')
      // All options belong to the other program, even --help.
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (words: string[], options: { json?: boolean }) => {
        const json = options.json ? ['--json'] : [];
        context.exitCode = await runOfService(name, [...json, ...words], context.io);
      });
  }
}
