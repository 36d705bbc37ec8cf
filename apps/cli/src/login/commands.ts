import type { Command } from 'commander';
import type { Context } from '../context.js';
import { login, type LoginOptions } from './login.js';
import { logout } from './logout.js';
import { whoami } from './whoami.js';

/** Defines `passwright login`, `logout` and `whoami`. */
export function loginCommands(program: Command, context: Context): void {
  program
    .command('login')
    .description('Store the API key of a service on this machine.')
    .option('--key', 'Use an existing API key, which you type at a prompt or pass on stdin, never as an argument.')
    .option('--email <address>', 'Sign in and create a key that is named after this machine.')
    .option('--account <id>', 'The account to use if you are in several.')
    .action((options: LoginOptions) => login(context, options))
    .addHelpText('after', examples);
  program
    .command('logout')
    .description('Revoke the key that login created, and delete it from this machine.')
    .option('--force', 'Delete the key even if it cannot be revoked.')
    .action((options: { force?: boolean }) => logout(context, options));
  program
    .command('whoami')
    .description('Show the service, the account and the key in use.')
    .action(() => whoami(context));
}

const examples = `
Examples:
  $ passwright login                                          asks for everything it needs
  $ passwright login --url https://passes.example.com --email ada@example.com
  $ passwright login --key < key.txt                          an existing key
  $ passwright login --profile staging --url https://staging.example.com

The key is stored in your own configuration folder, where only you can read it. A new key has all scopes,
so that logout can revoke it. In CI, do not log in: set PASSWRIGHT_URL and PASSWRIGHT_KEY instead.`;
