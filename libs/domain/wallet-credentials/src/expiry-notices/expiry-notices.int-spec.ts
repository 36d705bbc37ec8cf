import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { jobsIdle, testDatabase } from '@passwright/testing';
import type { Registered } from '../credentials-node.fixtures.js';
import { aCertificate, CertificatesNode, pairOf } from '../apple-certificates.fixtures.js';
import { ExpiryNoticesService } from './expiry-notices.service.js';

const end = '2027-03-01T12:00:00.000Z';
const operatorEmail = 'operator@example.com';
/* Two nodes of one installation run jobs and share the operator's certificate. */
const operator = { fingerprint: randomUUID(), expiresAt: new Date('2027-03-01T12:00:00.000Z') };
let nodes: CertificatesNode[];
let url: string;

beforeAll(async () => {
  url = (await testDatabase()).url;
  nodes = await Promise.all([1, 2].map(() => CertificatesNode.start({ run: true, operator, operatorEmail })));
});
afterAll(() => Promise.all(nodes.map((node) => node.stop())));

const [first, second] = [() => nodes[0] as CertificatesNode, () => nodes[1] as CertificatesNode];
const mailsTo = (email: string) => nodes.flatMap((node) => node.mailer.to(email)).map(({ subject }) => subject);

/** Runs the check on both nodes at the same moment, and sends all mails. */
async function lookAt(time: string): Promise<void> {
  for (const { clock } of nodes) clock.set(time);
  await Promise.all(nodes.map((node) => node.get(ExpiryNoticesService).notifyOfExpiry()));
  await jobsIdle(url, { tasks: ['apple-certificate.expiring'] });
}

async function anAccountWith(expiresAt: string): Promise<Registered> {
  for (const { clock } of nodes) clock.set('2026-11-20T10:00:00.000Z');
  const user = await first().register();
  const { status } = await first().save(user, pairOf(aCertificate({ expiresAt })));
  expect(status).toBe(200);
  return user;
}

it('each notice is sent once, 60, 30 and 7 days before the expiry and at the expiry, whichever node checks', async () => {
  const { email } = await anAccountWith(end);
  const seen: number[] = [];
  for (const time of [
    '2026-12-31T11:59:59.999Z',
    '2026-12-31T12:00:00.000Z',
    '2026-12-31T12:00:00.000Z',
    '2027-01-15T12:00:00.000Z',
    '2027-01-30T12:00:00.000Z',
    '2027-02-22T12:00:00.000Z',
    '2027-02-28T12:00:00.000Z',
    '2027-03-01T12:00:00.001Z',
    '2028-03-01T12:00:00.000Z',
  ]) {
    await lookAt(time);
    seen.push(mailsTo(email).length);
  }
  expect(seen).toEqual([0, 1, 1, 1, 2, 3, 3, 4, 4]);
  expect(
    mailsTo(email)
      .map((subject) => /expire[sd] (?:in \d+ days|on)/.exec(subject)?.[0])
      .sort(),
  ).toEqual(['expired on', 'expires in 30 days', 'expires in 60 days', 'expires in 7 days']);
});

it('only the latest of several missed notices is sent', async () => {
  const { email } = await anAccountWith('2027-05-01T12:00:00.000Z');
  await lookAt('2027-04-28T12:00:00.000Z');
  expect(mailsTo(email)).toEqual([expect.stringContaining('expires in 3 days')]);
  await lookAt('2027-04-29T12:00:00.000Z');
  expect(mailsTo(email)).toHaveLength(1);
});

it('notices are sent to every admin of the account, but not to other members', async () => {
  const user = await anAccountWith('2027-06-01T12:00:00.000Z');
  const [admin, member] = [await first().register(), await first().register()];
  const uidOf = async ({ email }: Registered) =>
    (await first().sql('SELECT uid FROM app_user WHERE email = $1', [email]))[0].uid as string;
  await first()
    .get(Database)
    .transaction(async (tx) => {
      const accounts = first().get(AccountsService);
      await accounts.addMember(tx, user.accountId, await uidOf(admin), { isAdmin: true });
      await accounts.addMember(tx, user.accountId, await uidOf(member), { isAdmin: false });
    });
  await lookAt('2027-04-10T12:00:00.000Z');
  expect([user, admin, member].map(({ email }) => mailsTo(email).length)).toEqual([1, 1, 0]);
});

it('notices stop after a renewal, and resume before the new certificate expires', async () => {
  const user = await anAccountWith('2027-07-01T12:00:00.000Z');
  const { email } = user;
  await first().save(user, pairOf(aCertificate({ expiresAt: '2028-06-30T12:00:00.000Z' })));
  await lookAt('2027-06-30T12:00:00.000Z');
  expect(mailsTo(email)).toEqual([]);
  await lookAt('2028-06-01T12:00:00.000Z');
  expect(mailsTo(email)).toEqual([expect.stringContaining('30 June 2028')]);
});

it('a notice is sent later if the mail server rejects it at first', async () => {
  const { email } = await anAccountWith('2027-08-01T12:00:00.000Z');
  for (const { mailer } of nodes) mailer.failNext();
  await lookAt('2027-07-28T12:00:00.000Z');
  const tries = async () => {
    await first().sql(
      `UPDATE graphile_worker._private_jobs job SET run_at = now() FROM graphile_worker._private_tasks task
       WHERE task.id = job.task_id AND task.identifier = 'apple-certificate.expiring' AND job.locked_at IS NULL`,
      [],
    );
    await jobsIdle(url, { tasks: ['apple-certificate.expiring'] });
  };
  // The first attempt may have failed on one node or on both.
  for (let attempt = 0; attempt < 3 && mailsTo(email).length === 0; attempt++) await tries();
  expect(mailsTo(email)).toHaveLength(1);
  for (const { mailer } of nodes)
    await mailer.send({ to: 'none', subject: '', text: '', html: '' }).catch(() => undefined);
});

it('a notice about the operator’s own certificate is sent to the operator once', async () => {
  const before = mailsTo(operatorEmail).length;
  await first().sql(`DELETE FROM notice WHERE account_id = ''`, []);
  await lookAt('2027-02-22T12:00:00.000Z');
  await lookAt('2027-02-23T12:00:00.000Z');
  expect(mailsTo(operatorEmail).slice(before)).toEqual([expect.stringContaining('pass.com.example.operator')]);
});

it('the log warns of the operator’s expiring certificate if no e-mail address is set, except in development', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const ending = { expiresAt: new Date('2026-11-25T10:00:00.000Z') };
  const unnamed = await CertificatesNode.start({ operator: { ...ending, fingerprint: randomUUID() } });
  const developer = await CertificatesNode.start({
    operator: { ...ending, fingerprint: randomUUID(), development: true },
    operatorEmail,
  });
  for (let times = 0; times < 2; times++) {
    for (const node of [unnamed, developer]) await node.get(ExpiryNoticesService).notifyOfExpiry();
  }
  const lines = warn.mock.calls.map(([line]) => String(line));
  warn.mockRestore();
  await Promise.all([unnamed.stop(), developer.stop()]);
  expect(lines).toEqual([expect.stringMatching(/ends on 2026-11-25.*No e-mail address/)]);
});

it('the service finds expiring certificates in the order of their expiry through an index', async () => {
  const plan = await second()
    .get(Database)
    .reads.transaction(async (tx) => {
      await tx.query('ANALYZE apple_certificate');
      await tx.query('SET LOCAL enable_seqscan = off');
      return tx.query(
        `EXPLAIN (FORMAT JSON) SELECT account_id, fingerprint, expires_at FROM apple_certificate
       WHERE expires_at <= now() AND (expires_at, account_id) > (now(), '') ORDER BY expires_at, account_id LIMIT 200`,
      );
    });
  expect(JSON.stringify(plan)).toContain('apple_certificate_expires_idx');
});
