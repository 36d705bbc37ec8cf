import type { Command } from 'commander';
import type { Context } from '../context.js';

export function watchCommand(_program: Command, _context: Context): void {}
