import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ClockModule, Mailer, MailRejected } from '@passwright/core';
import { FixedClock } from '@passwright/testing';
import { MailerModule } from './mailer.module.js';
import { OutboxMailer } from './outbox-mailer.js';
import { SmtpMailer } from './smtp-mailer.js';

const from = { name: 'Passwright', address: 'passes@example.org' };
const mail = { to: 'ada@example.com', subject: 'Läuft in 30 Tagen ab', text: 'bald', html: '<p>bald</p>' };
let parent: string;
let dir: string;
let clock: FixedClock;

beforeAll(() => Logger.overrideLogger(false));
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'passwright outbox '));
  dir = join(parent, 'data/outbox');
  clock = new FixedClock('2026-11-20T10:00:00.000Z');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

it('OutboxMailer writes each mail to a file; only the owner can read the file and its folder', async () => {
  await new OutboxMailer(dir, from, clock).send({ ...mail, replyTo: 'box.office@example.net' });
  const [name] = await readdir(dir);
  const source = await readFile(join(dir, name!), 'utf8');
  expect(source).toMatch(/^From: Passwright <passes@example\.org>$/m);
  expect(source).toMatch(/^To: ada@example\.com$/m);
  expect(source).toMatch(/^Reply-To: box\.office@example\.net$/m);
  expect(source).toContain('<p>bald</p>');
  expect((await stat(join(dir, name!))).mode & 0o777).toBe(0o600);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
});

it('a file whose name ends in .eml is always a complete mail, even while other mails are written', async () => {
  const outbox = new OutboxMailer(dir, from, clock);
  await outbox.send(mail);
  let sent = false;
  const sending = Promise.all(Array.from({ length: 50 }, () => outbox.send(mail))).finally(() => (sent = true));
  const read: string[] = [];
  while (!sent) {
    const names = (await readdir(dir)).filter((name) => name.endsWith('.eml'));
    read.push(...(await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))));
  }
  await sending;
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter((text) => !text.includes('<p>bald</p>'))).toEqual([]);
});

it('OutboxMailer gives each file a unique name that begins with the time, followed by the subject', async () => {
  const outbox = new OutboxMailer(dir, from, clock);
  await Promise.all([outbox.send(mail), outbox.send(mail)]);
  clock.advance(1);
  await outbox.send({ ...mail, subject: '証明書 for ada@example.com' });
  const names = (await readdir(dir)).sort();
  expect(names).toEqual([
    expect.stringMatching(/^2026-11-20T10-00-00-000Z-lauft-in-30-tagen-ab-[0-9a-f]{6}\.eml$/),
    expect.stringMatching(/^2026-11-20T10-00-00-000Z-lauft-in-30-tagen-ab-[0-9a-f]{6}\.eml$/),
    expect.stringMatching(/^2026-11-20T10-00-01-000Z-for-[0-9a-f]{6}\.eml$/),
  ]);
});

it('OutboxMailer logs the path of the file, but not the address in the subject', async () => {
  const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
  await new OutboxMailer(dir, from, clock).send({ ...mail, subject: 'For ada@example.com' });
  expect(log.mock.calls).toHaveLength(1);
  expect(log.mock.calls[0]![0]).toContain(dir);
  // Remove the folder from the line, because its random name may contain "ada".
  const [line] = log.mock.calls.map(([text]) => String(text).replace(dir, ''));
  expect(line!.replace(/-[0-9a-f]{6}\.eml$/, '')).not.toMatch(/ada/);
  log.mockRestore();
});

it('OutboxMailer logs the subject and the links in development, but not the recipient', async () => {
  const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
  const text =
    'Choose one:\nhttps://passes.example.com/password/reset?code=c0de\n\nNot this: https://example.com/ ever.\n';
  for (const tells of [true, false]) await new OutboxMailer(dir, from, clock, tells).send({ ...mail, text });
  const [reported, quiet] = log.mock.calls.map(([line]) => String(line));
  expect(reported).toMatch(
    /\.eml: Läuft in 30 Tagen ab\n {2}https:\/\/passes\.example\.com\/password\/reset\?code=c0de$/,
  );
  expect(reported).not.toContain('ada@');
  expect(quiet).toMatch(/\.eml$/);
  log.mockRestore();
});

it('OutboxMailer rejects a mail that SMTP would reject and leaves no file', async () => {
  const outbox = new OutboxMailer(dir, from, clock);
  await expect(outbox.send({ ...mail, to: 'a@example.com,b@example.com' })).rejects.toThrow(MailRejected);
  await expect(readdir(dir)).rejects.toThrow('ENOENT');
});

describe('MailerModule', () => {
  const provided = async (options: Parameters<typeof MailerModule.forRoot>[0]) => {
    const module = await Test.createTestingModule({ imports: [ClockModule, MailerModule.forRoot(options)] }).compile();
    return module.get(Mailer);
  };

  it('MailerModule provides the mailer that its options select', async () => {
    const outbox = await provided({ from: 'a@example.org', transport: { kind: 'outbox', dir } });
    expect(outbox).toBeInstanceOf(OutboxMailer);
    const smtp = await provided({ from: 'a@example.org', transport: { kind: 'smtp', url: 'smtp://127.0.0.1:1' } });
    expect(smtp).toBeInstanceOf(SmtpMailer);
  });

  it('MailerModule fails at the start if its options are unreadable, without printing the password', async () => {
    await expect(provided({ from: 'nobody', transport: { kind: 'outbox', dir } })).rejects.toThrow(
      'MailerOptions.from',
    );
    const wrong = provided({ from: 'a@example.org', transport: { kind: 'smtp', url: 'http://u:secret@host' } });
    await expect(wrong).rejects.toThrow(/^MailerOptions\.transport\.url is neither/);
  });
});
