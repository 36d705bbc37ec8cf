import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Clock } from '@passwright/core';
import { FakeGoogleWallet } from '@passwright/testing';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { AppleWalletWorld, type Held, mustBe, shown, until } from '../support/apple-wallet-world.js';
import { googleEnvironment } from '../support/google-wallet-world.js';
import type { Account } from '../support/running-service.js';

/** A mail as the mail server receives it. */
interface Received {
  readonly to: string[];
  readonly source: string;
}

const dayMs = 86_400_000;
/**
 * An e-mail address that no other test uses, because advancing the time also causes mails to other members in the
 * database.
 */
const address = `ada.${randomUUID()}@example.com`;
/** The mails to the member. */
const received: Received[] = [];
let server: SMTPServer;
let world: AppleWalletWorld;
let google: FakeGoogleWallet;
let account: Account;
let key: string;
let ahead = 0;

const sample = (name: string) => `https://passes.example.com/images/samples/${name}.png`;
const club = {
  issuerName: 'Rowing Club',
  title: 'Member 2026',
  ...{ icon: sample('icon'), logo: sample('logo'), banner: sample('banner') },
};

beforeAll(async () => {
  server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    closeTimeout: 50,
    onData,
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  google = await FakeGoogleWallet.start({
    route: () => world.service.baseUrl,
    tokenTime: () => new Date(Date.now() + ahead),
  });
  world = await AppleWalletWorld.start({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'Passwright <passes@passwright.example>',
    ...googleEnvironment(google),
  });
  jest.spyOn(world.service.app.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + ahead));
  account = await world.service.register();
  mustBe(200, await account.saveTemplate('membership', 'club', club));
  key = await account.apiKey('members:read', 'members:write', 'passes:read');
  const body = { templateId: 'club', reminders: [{ key: 'week', daysBefore: 7 }], timeZone: 'Europe/Berlin' };
  mustBe(200, await api('PUT', 'settings', body));
});
afterAll(async () => {
  await world.stop();
  await google.stop();
  await new Promise<void>((resolve) => server.close(resolve));
});

const onData: NonNullable<SMTPServerOptions['onData']> = (stream, session, done) => {
  void text(stream).then((source) => {
    const to = session.envelope.rcptTo.map((recipient) => recipient.address);
    if (to.includes(address)) received.push({ to, source });
    done();
  });
};

const api = (method: string, path: string, body?: object) =>
  world.service.request(method, `/v1/memberships/${path}`, { token: key, body });

/** Moves the time ahead by this many days, and runs the scheduled jobs. */
async function daysLater(days: number): Promise<void> {
  // Record that the schedules have just run at the new time. Otherwise they would catch up, and the pass could expire
  // before its member. Schedules correct a recorded time that is 15 minutes ahead, so record at most three minutes
  // ahead.
  await world.sql(
    `INSERT INTO graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
     SELECT identifier, now(), $1 FROM unnest(ARRAY['passes.expire', 'apple-push.look']) AS identifier
     ON CONFLICT (identifier) DO UPDATE SET last_execution = $1`,
    [new Date(Date.now() + ahead + days * dayMs + 3 * 60_000)],
  );
  ahead += days * dayMs;
  await world.sql(`SELECT graphile_worker.add_job('memberships.run-due', '{}')`);
  await world.jobsIdle();
  await world.minutePasses();
  await world.jobsIdle();
}

/** Returns a part of a mail, as sent. */
function part({ source }: Received, type: string): string {
  const found = source.split(/^--[^\r\n]+\r\n/m).find((each) => each.startsWith(`Content-Type: ${type}`));
  return (found ?? '').replace(/=\r\n/g, '').replaceAll('=3D', '=');
}

const shows = (held: Held) => JSON.stringify(shown(held));

it('a member gets reminders by mail and in both wallets, and gets them again after a renewal', async () => {
  const expiry = new Date(Date.now() + 10 * dayMs);
  const made = mustBe(
    201,
    await api('POST', 'members', {
      email: address,
      name: 'Ada Lovelace',
      status: 'active',
      expiry: expiry.toISOString(),
    }),
  ).body;
  const path = `/v1/pass/club/${made.passId}`;
  const issued = { pass: { templateId: 'club', id: made.passId }, walletAUrl: made.links.walletAUrl };
  const held = await world.put(account, issued);
  mustBe(200, await world.service.request('GET', new URL(made.links.walletBUrl).pathname));
  const atGoogle = () => [...google.objects.values()][0] as { messages?: object[] } | undefined;
  const day = new Intl.DateTimeFormat('en-GB', {
    ...{ year: 'numeric', month: 'long', day: 'numeric', timeZone: 'Europe/Berlin' },
  } as const).format(expiry);
  expect(shows(held)).toContain(`"value":"Until ${day}"`);

  await daysLater(2);
  expect(received).toEqual([]);
  await daysLater(1.5);
  await until(
    () => held.phone.notifications.map(({ text: line }) => line),
    (lines) => lines.includes(`Membership: Ends on ${day}`),
  );
  await until(
    () => atGoogle()?.messages ?? [],
    (messages) => messages.length > 0,
  );
  expect(atGoogle()?.messages).toMatchObject([
    { header: 'Membership', body: `Ends on ${day}`, messageType: 'TEXT_AND_NOTIFY' },
  ]);
  const [mail, ...others] = received;
  expect(others).toEqual([]);
  expect(mail!.to).toEqual([address]);
  expect(mail!.source).toMatch(new RegExp(`^Subject: Rowing Club: your membership ends on ${day}\r$`, 'm'));
  expect(part(mail!, 'text/plain')).toContain(`Your membership ends on ${day}.`);
  expect(part(mail!, 'text/plain')).toContain(made.links.webUrl);
  const [, href = ''] = /<a href="([^"]*)"/.exec(part(mail!, 'text/html')) ?? [];
  expect(href).toBe(made.links.webUrl);
  mustBe(200, await world.service.request('GET', href));
  expect(mail!.source).not.toContain((await world.service.request('GET', path, { token: key })).body.pass?.code);

  await daysLater(7);
  await until(
    () => shown(held).voided,
    (voided) => voided === true,
  );
  const expired = mustBe(200, await api('GET', `members/${made.id}`)).body;
  expect(expired).toMatchObject({ status: 'expired', remindersSent: { week: expect.any(String) } });
  expect(received).toHaveLength(1);
  // One push is for the reminder, and one is for the expiry of the member and the pass.
  expect(world.pushesTo(held.phone)).toHaveLength(2);

  const renewal = { expiry: new Date(expiry.getTime() + 30 * dayMs).toISOString() };
  const renewed = mustBe(200, await api('POST', `members/${made.id}/renew`, renewal)).body;
  expect(renewed).toMatchObject({ status: 'active', remindersSent: {} });
  await until(
    () => shown(held),
    ({ voided }) => voided === undefined,
  );
  await daysLater(24);
  expect(received.map(({ to }) => to)).toEqual([[address], [address]]);
  expect(new Set(received.map(({ source }) => /^Message-ID:\s+(<[^>]+>)/im.exec(source)?.[1])).size).toBe(2);
});
