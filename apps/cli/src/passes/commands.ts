import type { Command } from 'commander';
import type { Context } from '../context.js';

/** `passwright passes …` */
export function passCommands(_program: Command, _context: Context): void {}
