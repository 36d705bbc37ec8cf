import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';

/** The result of a command: as text for people, and as data for programs. */
export interface Outcome {
  readonly text: string;
  readonly data: unknown;
}

/** Makes a command's action of work with the services. */
export type Act = <Arguments extends readonly unknown[]>(
  work: (services: INestApplicationContext, ...given: Arguments) => Promise<Outcome>,
) => (...given: [...Arguments, Command]) => Promise<void>;
