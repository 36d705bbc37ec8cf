import type { Command } from 'commander';
import type { Context } from '../context.js';

export function loginCommands(_program: Command, _context: Context): void {}
