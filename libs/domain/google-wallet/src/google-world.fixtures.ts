import { Database } from '@passwright/database';
import type { TestAccount, TestApp } from './test-app.fixtures.js';
import { GoogleSyncQueue } from './sync/google-sync-queue.handlers.js';
import { GoogleSender } from './sync/google-sender.handlers.js';
import { GoogleObjectsToMark, LinkingObjectsToMark } from './sync/google.jobs.js';
import type { GoogleResourceRow } from './sync/google-resource.entity.js';

/** Returns the context of a job that is never aborted. */
export const running = () => ({ signal: new AbortController().signal });

/** The service with a fake Google Wallet. The spec runs the jobs itself. */
export class GoogleWorld {
  constructor(private readonly app: TestApp) {}

  /** Writes everything that is due to Google. */
  send(): Promise<void> {
    return this.app.get(GoogleSender).send({ accountId: '' }, running());
  }

  /** Marks the objects of a changed template as due, and sends them. */
  async sendTemplate(accountId: string, templateId: string | null): Promise<void> {
    const { payload } = new GoogleObjectsToMark({ accountId, templateId, after: { id: '', issuerId: '' } });
    await this.app.get(GoogleSyncQueue).mark(payload, running());
    await this.send();
  }

  /** Marks as due the objects that link to new objects. */
  async markLinking(account: TestAccount): Promise<void> {
    for (const { payload } of await this.jobs(LinkingObjectsToMark.task, account.id))
      await this.app.get(GoogleSyncQueue).markLinking(payload as LinkingObjectsToMark['payload'], running());
  }

  /** Returns the waiting jobs of a task. */
  jobs(task: string, accountId: string): Promise<{ payload: object }[]> {
    return this.app.get(Database).reads.query(
      `SELECT job.payload
       FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
       WHERE task.identifier = $1 AND job.payload->>'accountId' = $2 ORDER BY job.id`,
      [task, accountId],
    );
  }

  async serialOf(account: TestAccount, passId: string): Promise<string> {
    const sql = 'SELECT serial_number FROM pass WHERE account_id = $1 AND id = $2';
    const [row] = await this.app.get(Database).reads.query<{ serial_number: string }[]>(sql, [account.id, passId]);
    return row!.serial_number;
  }

  rows(account: TestAccount): Promise<GoogleResourceRow[]> {
    const sql = `SELECT id, sent_hash AS "sentHash", due_at AS "dueAt", refused, problem, failures, saves, removals,
      leased_until AS "leasedUntil", serial_number AS "serialNumber"
      FROM google_resource WHERE account_id = $1 ORDER BY serial_number NULLS FIRST`;
    return this.app.get(Database).reads.query(sql, [account.id]);
  }

  /** Requests the save link of a pass, as a program does. */
  link(account: TestAccount, path: string) {
    return this.app.visit(`/v1/pass/${account.id}/${path}/walletB`);
  }
}
