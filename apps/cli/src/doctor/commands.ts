import type { Command } from 'commander';
import type { Context } from '../context.js';

/** `passwright doctor` and `passwright operator` */
export function doctorCommands(_program: Command, _context: Context): void {}
