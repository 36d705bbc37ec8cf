import type { Command } from 'commander';
import type { Context } from '../context.js';

export function templateCommands(_program: Command, _context: Context): void {}
