import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { AccountsModule, PersonalData } from '@passwright/accounts';
import { BillingModule } from '@passwright/billing';
import { ApplePush, BlobStorage, Clock, GoogleWallet, Mailer, Signer } from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { type Job, JobsModule } from '@passwright/jobs';
import { HttpModule } from '@passwright/http';
import { PassDistributionModule } from '@passwright/pass-distribution';
import { AppleWalletModule } from '@passwright/apple-wallet';
import { GoogleWalletModule } from '@passwright/google-wallet';
import { PassesModule, PassesService } from '@passwright/passes';
import { aTemplate } from '@passwright/passes/testing';
import { ImagesModule } from '@passwright/images';
import { Template, TemplatesModule, TemplatesService } from '@passwright/templates';
import { FakeSigner, FixedClock, MemoryStorage, RecordingMailer, testDatabase } from '@passwright/testing';
import { inLanguage } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import type { Member, MemberStatus } from '../members/member.entity.js';
import { MembersRepository } from '../members/members.repository.js';
import { MembersService } from '../members/members.service.js';
import { MembershipsModule } from '../memberships.module.js';
import type { Reminder } from '../settings/membership-settings.entity.js';
import { SettingsRepository } from '../settings/settings.repository.js';
import { DueMembersCron } from './due-members.cron.js';
import { ReminderEmailSender } from './reminder-email-sender.handlers.js';
import { MemberReminded } from './reminders.jobs.js';

/** The key that encrypts personal data in every `TimeWorld`, because all of them share a database. */
const masterKeys = [{ id: 'test', key: new Uint8Array(32).fill(7) }];
const baseUrl = 'https://passes.example';
export const remindersPerMinute = 20;
export const start = new Date('2026-11-20T10:00:00.000Z');

interface AccountSettings {
  readonly reminders?: Reminder[];
  readonly timeZone?: string;
  readonly noticeLabel?: string | null;
}

/**
 * A test world with real accounts and members, a real database, any number of nodes, and a clock that the test sets.
 */
export class TimeWorld {
  readonly clock = new FixedClock(start);
  readonly mailer = new RecordingMailer();
  readonly nodes: TestingModule[] = [];

  private constructor(private readonly encrypts: boolean) {}

  /** @param encrypts false for nodes that store personal data unencrypted */
  static async start(nodes = 1, encrypts = true): Promise<TimeWorld> {
    const world = new TimeWorld(encrypts);
    for (let n = 0; n < nodes; n += 1) world.nodes.push(await world.node());
    return world;
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) await node.close();
  }

  get<T>(token: abstract new (...args: never[]) => T, node = 0): T {
    return this.nodes[node]!.get<T>(token);
  }

  get db(): EntityManager {
    return this.get(Database).reads;
  }

  /** Creates an account with the template `club` and a key that encrypts the personal data of its members. */
  async account(settings: AccountSettings = {}): Promise<string> {
    const accountId = await this.accountInClear(settings);
    await this.encrypt(accountId);
    return accountId;
  }

  /** Gives an account its key. */
  encrypt(accountId: string, completedAt: Date | null = this.clock.now()): Promise<void> {
    return this.get(Database).transaction((tx) => this.get(PersonalData).create(tx, accountId, completedAt));
  }

  /** Creates an account like `account`, but with unencrypted personal data. */
  async accountInClear(settings: AccountSettings = {}): Promise<string> {
    const accountId = `acc_${randomUUID()}`;
    const at = this.clock.now();
    await this.db.query('INSERT INTO account (id, name, created_at) VALUES ($1, $1, $2)', [accountId, at]);
    await this.db.insert(Template, { ...aClub, accountId, createdAt: at, updatedAt: at });
    await this.get(Database).transaction((tx) =>
      this.get(SettingsRepository).insert(tx, {
        accountId,
        templateId: 'club',
        reminders: [
          { key: 'month', daysBefore: 30 },
          { key: 'week', daysBefore: 7 },
          { key: 'day', daysBefore: 1 },
        ],
        timeZone: 'UTC',
        remindersSince: at,
        noticeLabel: 'Membership',
        lastMemberId: 0,
        version: 1,
        createdAt: at,
        updatedAt: at,
        ...settings,
      }),
    );
    return accountId;
  }

  /** Creates members with the same expiry. */
  members(accountId: string, count: number, expiresAt: Date | null, status: 'active' | 'pending' = 'active') {
    const requested = Array.from({ length: count }, () => {
      return { email: `${randomUUID()}@example.com`, name: 'Ada Lovelace', status, expiresAt, data: {} };
    });
    return this.get(Database).transaction((tx) => this.get(MembersService).createMany(tx, accountId, requested));
  }

  async member(accountId: string, expiresAt: Date | null): Promise<Member> {
    const [member] = await this.members(accountId, 1, expiresAt);
    return member!;
  }

  /** Changes a member's e-mail. */
  async rename(tx: EntityManager, { accountId, id }: Member, email: string): Promise<void> {
    const repository = this.get(MembersRepository);
    const member = await repository.lock(tx, accountId, id);
    await repository.update(tx, { ...member!, email });
  }

  async read({ accountId, id }: Pick<Member, 'accountId' | 'id'>): Promise<Member> {
    return (await this.get(MembersRepository).find(accountId, id))!;
  }

  /** Runs one minute's job. */
  runDue(node = 0): Promise<void> {
    return this.get(DueMembersCron, node).runDue(running());
  }

  /** Lists the waiting jobs of a class for an account. */
  async jobs<P extends object>(
    job: { readonly task: string; new (payload: P): Job<P> },
    accountId: string,
  ): Promise<P[]> {
    const rows = await this.db.query<{ payload: P }[]>(
      `SELECT job.payload FROM graphile_worker._private_jobs job
       JOIN graphile_worker._private_tasks task ON task.id = job.task_id
       WHERE task.identifier = $1 AND job.payload ->> 'accountId' = $2 ORDER BY job.id`,
      [job.task, accountId],
    );
    return rows.map(({ payload }) => payload);
  }

  /** Lists all waiting jobs of an account, as task and payload. */
  async tasks(accountId: string): Promise<[string, object][]> {
    const rows = await this.db.query<{ task: string; payload: object }[]>(
      `SELECT task.identifier AS task, job.payload FROM graphile_worker._private_jobs job
       JOIN graphile_worker._private_tasks task ON task.id = job.task_id
       WHERE job.payload ->> 'accountId' = $1 ORDER BY job.id`,
      [accountId],
    );
    return rows.map(({ task, payload }) => [task, payload]);
  }

  /** Registers a phone that holds a member's pass. */
  async hold({ accountId, templateId, passId }: Member): Promise<void> {
    await this.db.query(
      `WITH device AS (
         INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
         VALUES ($1, $3, 'pass.com.example.test', $3, 'abcd', now()) RETURNING id
       )
       INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       SELECT $1, device.id, serial_number, $2, now(), now() FROM device, pass
       WHERE account_id = $1 AND template_id = $2 AND pass.id = $3`,
      [accountId, templateId, passId],
    );
  }

  /** Sends an account's waiting mails and removes their jobs. */
  async deliver(accountId: string): Promise<void> {
    for (const payload of await this.jobs(MemberReminded, accountId)) {
      await this.get(ReminderEmailSender).deliver(payload, running());
    }
    await this.db.query("DELETE FROM graphile_worker._private_jobs WHERE payload ->> 'accountId' = $1", [accountId]);
  }

  /** Reads the content of a member's pass. */
  async pass({ accountId, templateId, passId }: Member) {
    const [pass] = await this.db.query<
      { voided: boolean; version: number; fields: { key: string; value: string }[]; updated_at: Date }[]
    >(
      `SELECT voided_at IS NOT NULL AS voided, version, fields, updated_at
       FROM pass WHERE account_id = $1 AND template_id = $2 AND id = $3`,
      [accountId, templateId, passId],
    );
    const { voided, version, fields, updated_at: updatedAt } = pass!;
    return { voided, version, updatedAt, notice: fields.find(({ key }) => key === 'membership')?.value };
  }

  /** Returns the notice on a member's pass as holders see it in each language. */
  async noticesOn({ accountId, templateId, passId }: Member, languages: readonly string[]) {
    const template = await this.get(TemplatesService).get(accountId, templateId);
    const { pass } = await this.get(PassesService).get({ accountId, templateId, passId });
    return languages.map((language) => {
      const own = template.language ?? 'en';
      const shown = inLanguage({ ...template, language: own }, pass, language);
      return shown.pass.fields.find(({ key }) => key === 'membership')?.value;
    });
  }

  /** Stores that Google has the objects of all passes of an account. */
  async atGoogle(accountId: string): Promise<void> {
    await this.db.query(
      String.raw`INSERT INTO google_resource
        (account_id, issuer_id, id, template_id, type, serial_number, saves, created_at, sent_hash)
        SELECT account_id, '3388000000022222222', serial_number, template_id, template_type, serial_number, 1, $2, '\x00'
        FROM pass WHERE account_id = $1`,
      [accountId, start],
    );
  }

  /** Returns the messages in the Google object of a member's pass. */
  async messagesAtGoogle({ accountId }: Member): Promise<object[]> {
    const sql = 'SELECT messages FROM google_resource WHERE account_id = $1';
    const [row] = await this.db.query<[{ messages: object[] }]>(sql, [accountId]);
    return row.messages;
  }

  setStatus({ accountId, id }: Member, status: MemberStatus): Promise<unknown> {
    return this.db.query('UPDATE member SET status = $3 WHERE account_id = $1 AND id = $2', [accountId, id, status]);
  }

  private async node(): Promise<TestingModule> {
    const { url } = await testDatabase();
    const providers = [
      { provide: Clock, useValue: this.clock },
      { provide: Mailer, useValue: this.mailer },
      { provide: BlobStorage, useValue: new MemoryStorage() },
      { provide: Signer, useValue: new FakeSigner() },
      { provide: ApplePush, useValue: {} },
      { provide: GoogleWallet, useValue: {} },
    ];
    @Module({})
    class OutsideModule {}
    return Test.createTestingModule({
      imports: [
        { module: OutsideModule, global: true, providers, exports: providers.map(({ provide }) => provide) },
        DatabaseModule.forRoot({ url, poolSize: 8 }),
        JobsModule.forRoot({ url, run: false }),
        HttpModule.forRoot({ baseUrl, trustProxy: 0, requestsPerMinute: 0 }),
        AccountsModule.forRoot({
          accessTokenSecret: 'x'.repeat(32),
          accessTokenTtlSeconds: 900,
          refreshTokenTtlSeconds: 900,
          personalData: { masterKeys, encrypts: this.encrypts },
        }),
        BillingModule.forRoot({ routes: false }),
        ImagesModule.forRoot({ baseUrl, imageHostsAllowed: [] }),
        TemplatesModule.forRoot({ baseUrl }),
        PassesModule.forRoot({ baseUrl }),
        AppleWalletModule.forRoot({ baseUrl, passTokenSecret: 's'.repeat(32), packageCacheBytes: 2 ** 20 }),
        GoogleWalletModule.forRoot({ baseUrl }),
        PassDistributionModule.forRoot({ baseUrl, recipientHashSecret: 's'.repeat(32) }),
        MembershipsModule.forRoot({ baseUrl, remindersPerMinute }),
      ],
    }).compile();
  }
}

/** Builds the context of a job. Only `signal` stops the job. */
export function running(signal = new AbortController().signal) {
  return { signal };
}

/** The template `club` of each account. */
export const aClub = aTemplate('membership', {
  id: 'club',
  title: 'Rowing club',
  issuerName: 'Harbour Hall',
  backgroundColor: '#123',
});
