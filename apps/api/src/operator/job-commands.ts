import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import type { Command } from 'commander';
import { OperatorFailed } from './operator-session.js';
import type { Act } from './operator-command.js';
import { table } from './table.js';

/** Adds the `jobs` commands, which handle jobs that were set aside because each attempt killed their process. */
export function addJobCommands(program: Command, act: Act): void {
  const jobs = program
    .command('jobs')
    .description('Manage jobs that were set aside because their process died each time they ran');
  jobs
    .command('list')
    .description('List the jobs that were set aside, the oldest first')
    .action(
      act(async (services) => {
        const found = await services.get(Jobs).listSetAside(services.get(Database).reads);
        const text = table(found, {
          id: ({ id }) => id,
          since: ({ setAsideAt }) => setAsideAt,
          account: ({ payload }) => (typeof payload.accountId === 'string' ? payload.accountId : null),
        });
        return { text, data: found };
      }),
    );
  jobs
    .command('retry')
    .description('Retry a job that was set aside. Fix the cause first')
    .argument('<jobId>')
    .action(
      act(async (services, id: string) => {
        const isFound = await services.get(Database).transaction((tx) => services.get(Jobs).takeUp(tx, id));
        if (!isFound) throw new OperatorFailed(`No job "${id}" is set aside; "jobs list" shows which are.`);
        return { text: `The job ${id} is in the queue again.\n`, data: { id, queued: true } };
      }),
    );
}
