import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';

/** The result of a command: text for people, and data for programs. */
export interface Outcome {
  readonly text: string;
  readonly data: unknown;
}

/** Wraps a function that uses the services as the action of a command. */
export type Act = <Arguments extends readonly unknown[]>(
  work: (services: INestApplicationContext, ...given: Arguments) => Promise<Outcome>,
) => (...given: [...Arguments, Command]) => Promise<void>;
