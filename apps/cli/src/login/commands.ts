import type { Command } from 'commander';
import type { Context } from '../context.js';
import { login, type LoginOptions } from './login.js';
import { logout } from './logout.js';
import { whoami } from './whoami.js';

/** Defines `passwright login`, `logout` and `whoami`. */
export function loginCommands(program: Command, context: Context): void {
  program
    .command('login')
    .description('Keep a key for a service on this machine.')
    .option('--key', 'Use an API key you have: typed at a prompt, or from stdin. Never an argument.')
    .option('--email <address>', 'Sign in and make a new key, named after this machine.')
    .option('--account <id>', 'The account, when you are in several.')
    .action((options: LoginOptions) => login(context, options))
    .addHelpText('after', examples);
  program
    .command('logout')
    .description('Revoke the key that login has made, and forget it.')
    .option('--force', 'Forget it even when it cannot be revoked.')
    .action((options: { force?: boolean }) => logout(context, options));
  program
    .command('whoami')
    .description('Show the service, the account and the key in use.')
    .action(() => whoami(context));
}

const examples = `
Examples:
  $ passwright login                                          asks for all it needs
  $ passwright login --url https://passes.example.com --email ada@example.com
  $ passwright login --key < key.txt                          a key that you have
  $ passwright login --profile staging --url https://staging.example.com

The key is kept in your own configuration folder, where only you can read it. It may do all that its
account allows, so that logout can revoke it. In CI log in nowhere: set PASSWRIGHT_URL and
PASSWRIGHT_KEY.`;
