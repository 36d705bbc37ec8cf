import { AccountDeletionService, AccountsService, InvitesService } from '@passwright/accounts';
import { BilledAccountsService, BillingService, type BillingChange } from '@passwright/billing';
import { scopes, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import type { Command } from 'commander';
import { accountOutcome, getAccount } from './account-outcome.js';
import { OperatorFailed } from './operator-session.js';
import type { Act } from './operator-command.js';
import { email, limit, line, none, orNone, period, rows, status, time } from './option-values.js';
import { table } from './table.js';

/**
 * An option: its name, the placeholder of its value, the property that it sets, and the function that parses its value.
 */
type Setting = readonly [string, string, string, (text: string) => unknown];

/** The options of `accounts create`. */
interface NewAccount {
  readonly name: string;
  readonly adminEmail: string;
  readonly test: boolean;
}

/** The options of `accounts set`, by the property that they set. */
const settings = {
  planId: ['--plan', '<plan>', 'plan, or none for no subscription', orNone(line(255))],
  status: ['--status', '<status>', 'trialing, active, past_due, canceled or unpaid', status],
  period: ['--period', '<period>', 'month or year', period],
  currentPeriodStart: ['--period-start', '<time>', 'start of the current period, such as 2026-11-01T00:00:00Z', time],
  currentPeriodEnd: ['--period-end', '<time>', 'end of the current period', time],
  maxTemplates: ['--max-templates', '<n>', 'maximum number of templates, or none for no limit', limit],
  maxPassCreations: [
    '--max-pass-creations',
    '<n>',
    'maximum number of passes created in a period, or none for no limit',
    limit,
  ],
  paymentCustomerId: ['--customer', '<id>', "payment provider's id of the customer, or none", orNone(line(255))],
  paymentSubscriptionId: [
    '--subscription',
    '<id>',
    "payment provider's id of the subscription, or none",
    orNone(line(255)),
  ],
} as const satisfies Record<keyof BillingChange, Setting>;

/** Adds the `accounts` commands, which list accounts and set their limits and billing. */
export function addAccountCommands(program: Command, act: Act): void {
  const accounts = program.command('accounts').description('Manage accounts, their plans and their limits');
  addList(accounts, act);
  accounts
    .command('show')
    .description('Show an account with its usage and plan')
    .argument('<accountId>')
    .action(act((services, accountId: string) => accountOutcome(services, accountId)));
  addSet(accounts, act);
  addCreate(accounts, act);
  addDelete(accounts, act);
}

function addList(accounts: Command, act: Act): void {
  accounts
    .command('list')
    .description('List accounts, the newest first')
    .option(
      '--query <text>',
      "search for a part of the name, an account id, a user's e-mail or the payment provider's customer id",
    )
    .option('--limit <n>', 'the maximum number of accounts', rows, 100)
    .action(
      act(async (services, { query, limit: most }: { query?: string; limit: number }) => {
        const found = await services.get(BilledAccountsService).list(query ?? null, most);
        const text = table(found, {
          id: ({ id }) => id,
          name: ({ name }) => name,
          kind: ({ test }) => (test ? 'test' : 'live'),
          created: ({ createdAt }) => createdAt,
          users: ({ users }) => users,
          plan: ({ planId }) => planId,
          status: (account) => account.status,
        });
        return { text, data: found };
      }),
    );
}

function addSet(accounts: Command, act: Act): void {
  const set = accounts
    .command('set')
    .description(
      'Set the plan and the limits of an account. Omitted settings stay unchanged. The settings apply until the ' +
        'payment provider sends newer data.',
    )
    .argument('<accountId>');
  for (const [name, value, about, read] of Object.values<Setting>(settings)) {
    set.addOption(set.createOption(`${name} ${value}`, about).argParser(read));
  }
  set.hook('preAction', () => {
    if (Object.keys(set.opts()).length === 0)
      set.error('error: nothing to set: give at least one option, such as --plan pro');
  });
  set.action(
    act(async (services, accountId: string, given: Readonly<Record<string, unknown>>) => {
      const named = Object.entries(settings).map(([property, [name]]) => [property, given[attributeOf(name)]] as const);
      const change: BillingChange = Object.fromEntries(
        named.flatMap(([property, value]) => (value === undefined ? [] : [[property, value === none ? null : value]])),
      );
      await services.get(BillingService).set(accountId, change).catch(byOption);
      return accountOutcome(services, accountId);
    }),
  );
}

function addCreate(accounts: Command, act: Act): void {
  accounts
    .command('create')
    .description('Create an account and invite its first admin by e-mail')
    .requiredOption('--name <name>', 'the name of the account', line(200))
    .requiredOption('--admin-email <address>', 'the e-mail address to invite', email)
    .option('--test', 'a test account, which reaches no holders and no wallet platforms', false)
    .action(
      act(async (services, { name, adminEmail, test: isTest }: NewAccount) => {
        const database = services.get(Database);
        const accountId = await database.inOneTransaction(async () => {
          const { id } = await database.transaction((tx) => services.get(AccountsService).create(tx, { name, isTest }));
          // Name an API key as the author of the invitation, because the operator is not a user of the account.
          const caller = { kind: 'apiKey', id: 'operator', accountId: id, scopes } as const;
          await services.get(InvitesService).invite(caller, { email: adminEmail, isAdmin: true });
          return id;
        });
        const { text, data } = await accountOutcome(services, accountId);
        return { text: `${text}\nThe service sends the invitation to ${adminEmail}.\n`, data };
      }),
    );
}

function addDelete(accounts: Command, act: Act): void {
  accounts
    .command('delete')
    .description('Delete an account and all its data, after a delay during which "accounts keep" cancels the deletion')
    .argument('<accountId>')
    .option('--at-once', 'delete it without a delay; you cannot cancel this')
    .action(
      act(async (services, accountId: string, { atOnce = false }: { atOnce?: boolean }) => {
        const { name } = await getAccount(services, accountId);
        const { deletesAt } = await services.get(AccountDeletionService).requestAsOperator(accountId, atOnce);
        const when = atOnce ? 'now, by the service' : `on ${deletesAt.toISOString()}`;
        const wayOut = atOnce ? '' : `Cancel the deletion with: accounts keep ${accountId}\n`;
        return {
          text: `The account ${name} (${accountId}) is deleted ${when}.\n${wayOut}`,
          data: { id: accountId, deletesAt },
        };
      }),
    );
  accounts
    .command('keep')
    .description('Cancel the deletion of an account, if it has not begun')
    .argument('<accountId>')
    .action(
      act(async (services, accountId: string) => {
        await getAccount(services, accountId);
        await services.get(AccountDeletionService).withdrawAsOperator(accountId);
        return { text: `The account ${accountId} stays.\n`, data: { id: accountId, deletesAt: null } };
      }),
    );
}

/** Returns commander's name for the value of an option: `--period-end` becomes `periodEnd`. */
function attributeOf(name: string): string {
  return name.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Throws the error with the names of options in place of property names. */
function byOption(error: unknown): never {
  if (!(error instanceof ValidationFailed)) throw error;
  const message = Object.entries(settings).reduce(
    (text, [property, [name]]) => text.replaceAll(new RegExp(`\\b${property}\\b`, 'g'), name),
    error.message,
  );
  throw new OperatorFailed(`${message}.`);
}
