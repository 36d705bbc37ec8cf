import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Passwright } from '@passwright/client';
import { Failure } from '../failures.js';
import { isRejected, keyWith, missingScope } from '../service-errors.js';

interface Webhook {
  id: string;
  name: string | null;
  url: string | null;
}

/** The client's methods for webhooks, named like the operations of the API. */
interface Webhooks {
  createWebhook(request: { body: { name: string } }): Promise<Webhook>;
  deleteWebhook(request: { webhookId: string; timeoutMs?: number; retries?: number }): Promise<unknown>;
  each(operation: 'listWebhooks'): AsyncIterable<Webhook>;
}

/** The scopes that a watch needs to create the webhook and to read its events and their subjects. */
const needed = 'account:read, account:write, passes:read, templates:read and members:read';

/** Returns the name of the webhook. It contains the pid, so that two watches on one machine use separate webhooks. */
const nameOf = (pid: number) => `passwright watch on ${hostname().slice(0, 100)}, process ${pid} ${thisRun}`;
const nameForm = /^passwright watch on (.*), process (\d+) ([0-9a-f]+)$/;
/** A random value that distinguishes runs with the same pid. In a container, each watch has the pid 1. */
const thisRun = randomBytes(4).toString('hex');

/**
 * The webhook of a watch. It has no address, because `watch` fetches the events. A new watch takes over the webhook of
 * a killed one on the same machine.
 */
export class WatchWebhook {
  private constructor(
    private readonly webhooks: Webhooks,
    readonly id: string,
  ) {}

  static async open(client: Passwright, isRunning: (pid: number) => boolean = runs): Promise<WatchWebhook> {
    const webhooks = client as unknown as Webhooks;
    try {
      const leftOver = await leftOverOf(webhooks, isRunning);
      const { id } = leftOver ?? (await webhooks.createWebhook({ body: { name: nameOf(process.pid) } }));
      return new WatchWebhook(webhooks, id);
    } catch (error) {
      const scope = isRejected(error, 'forbidden') ? missingScope(error.message) : null;
      if (scope === null) throw error;
      throw new Failure(
        `watch creates a temporary webhook, which takes ${needed}; the key lacks the scope ${scope}.`,
        keyWith(needed),
        'forbidden',
      );
    }
  }

  /**
   * Deletes the webhook.
   * @returns false if this failed, so that the next watch takes it over
   */
  async close(): Promise<boolean> {
    try {
      await this.webhooks.deleteWebhook({ webhookId: this.id, timeoutMs: 5_000, retries: 0 });
      return true;
    } catch (error) {
      return isRejected(error, 'webhook_not_found');
    }
  }
}

async function leftOverOf(webhooks: Webhooks, isRunning: (pid: number) => boolean): Promise<Webhook | null> {
  for await (const webhook of webhooks.each('listWebhooks')) {
    const [, host, pid, run] = nameForm.exec(webhook.name ?? '') ?? [];
    if (webhook.url !== null || host !== hostname().slice(0, 100)) continue;
    const isOver = Number(pid) === process.pid ? run !== thisRun : !isRunning(Number(pid));
    if (isOver) return webhook;
  }
  return null;
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
