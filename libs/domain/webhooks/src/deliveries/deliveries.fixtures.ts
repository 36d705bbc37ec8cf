import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Module, type ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { AccountsModule } from '@passwright/accounts';
import { Clock, ClockModule, EncryptedSecrets, Mailer, SecretBox, type MasterKey } from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { NodeExhausted } from '@passwright/http';
import { JobsModule, type JobsOptions } from '@passwright/jobs';
import { FixedClock, lockWaitsSql, RecordingMailer, testDatabase } from '@passwright/testing';
import type { EntityManager } from 'typeorm';
import type { NewWebhookRequest, WebhookWithSecretResponse } from '../webhooks/webhook.dto.js';
import { adminOf } from '../events/events.fixtures.js';
import { eventIdAt } from '../events/events-cleanup.cron.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { WebhooksModule } from '../webhooks.module.js';
import { DeliverySenderHandlers } from './delivery-sender.handlers.js';
import { WebhookSenderService } from './webhook-sender.service.js';

export { adminOf };

/** A request that the receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real receiver on localhost with scripted responses. */
export class Receiver {
  readonly received: Received[] = [];
  respond: (response: ServerResponse, received: Received) => void = (response) => response.writeHead(204).end();

  private constructor(
    private readonly server: Server,
    readonly host: string,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const one = { headers: request.headers, body: Buffer.concat(chunks).toString() };
        receiver.received.push(one);
        receiver.respond(response, one);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    return receiver;
  }

  get url(): string {
    return `http://${this.host}/hook`;
  }

  status(status: number, headers: Record<string, string> = {}): void {
    this.respond = (response) => response.writeHead(status, headers).end();
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/**
 * A sender with a configurable timeout. If `isExhausted` is true, each call fails as if the node had no free file
 * handle.
 */
export class TestSender extends WebhookSenderService {
  override timeoutMs = 5_000;
  isExhausted = false;

  override post(...call: Parameters<WebhookSenderService['post']>): ReturnType<WebhookSenderService['post']> {
    return this.isExhausted ? Promise.reject(new NodeExhausted()) : super.post(...call);
  }
}

const masterKey = (id: string): MasterKey => ({ id, key: Buffer.alloc(32, id) });

/** Returns the modules of one process. */
export function webhooksNode(
  jobs: JobsOptions,
  receiver: string,
  mailer: Mailer,
  keyId = 'first',
): ModuleMetadata['imports'] {
  const accounts = {
    accessTokenSecret: 'a secret for tests that has more than 32 characters',
    accessTokenTtlSeconds: 900,
    refreshTokenTtlSeconds: 2_592_000,
  };
  const mails = [{ provide: Mailer, useValue: mailer }];
  const secrets = { provide: EncryptedSecrets, useValue: new EncryptedSecrets(new SecretBox([masterKey(keyId)])) };
  @Module({})
  class Mails {}
  @Module({})
  class Secrets {}
  return [
    ClockModule,
    DatabaseModule.forRoot({ url: jobs.url, poolSize: 10 }),
    JobsModule.forRoot(jobs),
    { module: Mails, global: true, providers: mails, exports: [Mailer] },
    AccountsModule.forRoot(accounts),
    { module: Secrets, global: true, providers: [secrets], exports: [EncryptedSecrets] },
    WebhooksModule.forRoot({ baseUrl: 'https://passes.example.com', hostsAllowed: [receiver] }),
  ];
}

/** Webhooks on a real database, with a receiver on localhost. Tests run the jobs themselves. */
export class WebhooksWorld {
  readonly clock = new FixedClock(new Date());
  readonly mailer = new RecordingMailer();
  readonly nodes: TestingModule[] = [];
  receiver!: Receiver;

  static async start(): Promise<WebhooksWorld> {
    const world = new WebhooksWorld();
    world.receiver = await Receiver.start();
    await world.node();
    return world;
  }

  /** Starts another process on the same database. */
  async node(keyId = 'first'): Promise<TestingModule> {
    const { url } = await testDatabase();
    const node = await Test.createTestingModule({
      imports: webhooksNode({ url, run: false }, this.receiver.host, this.mailer, keyId),
    })
      .overrideProvider(Clock)
      .useValue(this.clock)
      .overrideProvider(WebhookSenderService)
      .useClass(TestSender)
      .compile();
    await node.init();
    this.nodes.push(node);
    return node;
  }

  async stop(): Promise<void> {
    this.receiver.stop();
    for (const node of this.nodes) await node.close();
  }

  get<T>(token: abstract new (...args: never[]) => T): T {
    return this.nodes[0]!.get<T>(token);
  }

  get db(): EntityManager {
    return this.get(Database).reads;
  }

  /** Creates an account with an admin. */
  async account(): Promise<{ accountId: string; email: string }> {
    const [accountId, email] = [`acc_${randomUUID()}`, `${randomUUID()}@example.com`];
    await this.db.query('INSERT INTO account (id, name, created_at) VALUES ($1, $2, now())', [accountId, 'Engines']);
    await this.db.query(
      `INSERT INTO app_user (uid, email, name, password_hash, created_at) VALUES ($1, $2, 'Ada', '', now())`,
      [accountId, email],
    );
    await this.db.query(
      'INSERT INTO account_member (account_id, uid, is_admin, created_at) VALUES ($1, $1, true, now())',
      [accountId],
    );
    return { accountId, email };
  }

  /** Creates a webhook, by default in a new account and with the receiver's address. */
  async webhook(request: NewWebhookRequest = {}, accountId?: string): Promise<WebhookWithSecretResponse & Ref> {
    const account = accountId ?? (await this.account()).accountId;
    const made = await this.get(WebhooksService).create(adminOf(account), { url: this.receiver.url, ...request });
    return { ...made, accountId: account, webhookId: made.id };
  }

  /** Records events in an account now. @returns their ids */
  async happen({ accountId }: { accountId: string }, count = 1, type = 'pass.created'): Promise<string[]> {
    const at = eventIdAt(new Date());
    const ids = Array.from({ length: count }, () => `${at}${randomUUID().replaceAll('-', '').slice(12)}`);
    await this.db.query(
      `INSERT INTO webhook_event (account_id, id, type, occurred_at, data)
       SELECT $1, id, $3, $4, '{"passId": "ada", "1": 2}' FROM unnest($2::text[]) AS id`,
      [accountId, ids, type, this.clock.now()],
    );
    return ids;
  }

  /** Runs the sending job of a webhook. */
  async send(
    { accountId, webhookId }: Ref,
    node = this.nodes[0]!,
    signal = new AbortController().signal,
  ): Promise<void> {
    await node.get(DeliverySenderHandlers).send({ accountId, webhookId }, { signal });
  }

  /** Resolves once a transaction waits for a lock of another transaction. */
  async waitsForLock(): Promise<'waits'> {
    for (const deadline = performance.now() + 20_000; performance.now() < deadline; await pause(20))
      if ((await this.db.query<unknown[]>(lockWaitsSql)).length > 0) return 'waits';
    throw new Error('No transaction waits for a lock');
  }

  /** Returns the planned times of the jobs for a webhook. */
  async jobsFor({ accountId, webhookId }: Ref, task = 'webhooks.send'): Promise<Date[]> {
    const rows = await this.db.query<{ run_at: Date }[]>(
      `SELECT run_at FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
       WHERE t.identifier = $1 AND payload->>'accountId' = $2 AND coalesce(payload->>'webhookId', $3) = $3 ORDER BY run_at`,
      [task, accountId, webhookId],
    );
    return rows.map(({ run_at }) => run_at);
  }
}

interface Ref {
  readonly accountId: string;
  readonly webhookId: string;
}
