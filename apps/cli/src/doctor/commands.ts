import type { Command } from 'commander';
import type { Context } from '../context.js';
import { runOfService } from './installed-service.js';

/** `passwright doctor` and `passwright operator`: the service's own command lines, where it is installed. */
export function doctorCommands(program: Command, context: Context): void {
  const entries = [
    ['doctor', 'Check what the service needs, and say how to fix it. Runs where the service is installed.'],
    ['operator', 'Manage accounts, plans and keys. Runs where the service is installed.'],
  ] as const;
  for (const [name, about] of entries) {
    program
      .command(name)
      .description(about)
      .argument('[words...]')
      // They are the other program's, its --help included.
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (words: string[], options: { json?: boolean }) => {
        const json = options.json ? ['--json'] : [];
        context.exitCode = await runOfService(name, [...json, ...words], context.io);
      });
  }
}
