import { Database } from '@passwright/database';
import { PassChangeNotifier } from '@passwright/passes/testing';
import fc from 'fast-check';
import { TestApp } from '../../test-app.fixtures.js';
import { HolderGoogle } from './holder-google.fixtures.js';
import { pageLimits } from '../message-sender.service.js';
import { MessagesWorld, running } from '../messages.fixtures.js';
import { MessagesHandlers } from '../messages.handlers.js';
import { MessagesRepository } from '../messages.repository.js';
import { MortalProcess } from './mortal-process.fixtures.js';
import { isQuiet } from '../settings/quiet-hours.js';

/*
 * Simulates a random year of messages, changes and reminders. The quiet hours are in a time zone with clock changes.
 * Google is sometimes down or loses responses. Processes may crash before or after any statement or request.
 */
let app: TestApp;
beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
afterEach(() => jest.restoreAllMocks());

const hourMs = 3_600_000;
const beginning = new Date('2026-11-20T10:00:00.000Z').getTime();
const quiet = { timeZone: 'Europe/Berlin', from: 21 * 60 + 30, until: 7 * 60 + 15 };
const passIds = Array.from({ length: 7 }, (_, n) => `p${n}`);
const atGoogle = ['p1', 'p2', 'p3', 'p4', 'p6'];

/** An event in the simulated year. */
interface Happening {
  readonly minutes: number;
  readonly what:
    | ('plan' | 'plan for one' | 'urgent' | 'pause' | 'resume' | 'cancel' | 'change' | 'remind' | 'nothing')
    | HolderGoogle['state'];
  readonly inHours: number;
  readonly topic: string | null;
  readonly pass: string;
  /**
   * The number of statements and requests before each process crashes: first for the process that sends messages, then
   * for the process that writes to Google. Null for no crash.
   */
  readonly deaths: readonly [number | null, number | null];
}

const death = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 90 }));
const happening: fc.Arbitrary<Happening> = fc.record({
  // Generates bursts within a day, and pauses of several days.
  minutes: fc.oneof(
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ min: 1, max: 400 }),
    fc.integer({ max: 16_000, min: 1 }),
  ),
  what: fc.constantFrom(
    ...(['plan', 'plan', 'plan for one', 'plan for one', 'urgent', 'pause', 'resume', 'cancel', 'nothing'] as const),
    ...(['change', 'change', 'change', 'remind', 'remind', 'up', 'up', 'down', 'unclear'] as const),
  ),
  inHours: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
  topic: fc.constantFrom(null, null, 'gate', 'bar'),
  pass: fc.constantFrom(...passIds),
  deaths: fc.tuple(death, death),
});

/** The account of the simulated year, with its holders and the events so far. */
interface Year {
  readonly world: MessagesWorld;
  readonly google: HolderGoogle;
  readonly process: MortalProcess;
  readonly serials: ReadonlyMap<string, string>;
  readonly known: string[];
  readonly urgent: Set<string>;
  /** The number of changes of each pass. */
  readonly changes: Map<string, number>;
}

/** Sends due messages and runs due writes to Google, in processes that may crash. */
async function minutePasses({ world, process }: Year, [sender, writer]: Happening['deaths']): Promise<void> {
  const due = await app.get(MessagesRepository).due(app.clock.now(), 1000);
  for (const { accountId, id: messageId } of due.filter((one) => one.accountId === world.account.id)) {
    const job = () => app.get(MessagesHandlers).due({ accountId, messageId }, running());
    await process.run(job, sender);
  }
  await process.run(() => world.writeToGoogle(), writer);
  await process.run(() => world.writeSuspects(), writer);
}

async function happen(year: Year, { what, inHours, topic, pass }: Happening): Promise<void> {
  const { world, google, known, urgent, changes, serials } = year;
  const sendAt = new Date(app.clock.now().getTime() + inHours * hourMs).toISOString();
  const body = { text: `Message ${known.length}`, topic, sendAt, urgent: what === 'urgent' };
  if (what === 'plan' || what === 'urgent') known.push((await world.post('templates/offer/messages', body)).body.id);
  if (what === 'plan for one') known.push((await world.post(`pass/offer/${pass}/messages`, body)).body.id);
  const last = known.at(-1);
  if (what === 'urgent' && last) urgent.add(last);
  if (last && (what === 'pause' || what === 'resume' || what === 'cancel'))
    await world.post(`messages/${last}/${what}`);
  if (what === 'up' || what === 'down' || what === 'unclear') google.state = what;
  if (what === 'change') {
    const count = (changes.get(pass) ?? 0) + 1;
    changes.set(pass, count);
    const fields = [{ key: 'points', label: 'Points', value: String(count) }];
    await world.account.patch(`offer/${pass}`, { fields }).expect(200);
  }
  if (what === 'remind') {
    const until = new Date(app.clock.now().getTime() + 20 * 24 * hourMs).toISOString();
    const holder = { accountId: world.account.id, serialNumber: serials.get(pass) ?? '' };
    const reminder = { id: `week:${until}`, header: 'Member', body: 'Your membership ends soon.', until };
    await app.get(Database).transaction((tx) => app.get(PassChangeNotifier).messageSent(tx, holder, reminder));
  }
}

async function begin(): Promise<Year> {
  app.clock.set(new Date(beginning).toISOString());
  const world = await MessagesWorld.of(app);
  const settings = { timeZone: quiet.timeZone, quietHours: { from: '21:30', until: '07:15' } };
  await app.request('put', '/v1/account/messages').set('Authorization', world.account.id).send(settings);
  const serials = new Map<string, string>();
  app.google.reset();
  for (const id of passIds) {
    const fields = [{ key: 'points', label: 'Points', value: '0' }];
    const serial = await world.issue(id, { fields, ...(id === 'p6' && { voided: true }) });
    serials.set(id, serial);
    if (id < 'p3') await world.onPhone(serial);
    if (atGoogle.includes(id)) await world.savedAtGoogle(id);
  }
  const process = new MortalProcess(app);
  const google = new HolderGoogle(app, () => process.cross());
  app.google.result = (resource) => google.respond(resource);
  return { world, google, process, serials, known: [], urgent: new Set(), changes: new Map() };
}

it('each pass gets each message of a year once, with at most three notifications a day', async () => {
  jest.replaceProperty(pageLimits, 'passesAtOnce', 3);
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 150, maxLength: 150 }), async (happenings) => {
      const year = await begin();
      for (const one of happenings) {
        app.clock.advance(one.minutes * 60);
        await minutePasses(year, one.deaths);
        await happen(year, one);
        await minutePasses(year, one.deaths);
      }
      // In the rest of the test, Google is up and no process crashes.
      year.google.state = 'up';
      for (let n = 0; n < 140; n += 1) {
        app.clock.advance(4 * 3600 + 7 * 60);
        await minutePasses(year, [null, null]);
      }
      // End the year outside of quiet hours, so that no message still waits.
      while (isQuiet(app.clock.now(), quiet)) app.clock.advance(3600);
      for (let n = 0; n < 4; n += 1) await minutePasses(year, [null, null]);
      expectHolders(year);
      await expectRecipients(year);
      await expectYear(year);
    }),
    { numRuns: 4, endOnFailure: true },
  );
}, 600_000);

/**
 * Expects that no message was added twice at Google, that only urgent messages notified holders in quiet hours, and
 * that no pass had more than three notifications in 24 hours.
 */
function expectHolders({ google: { added }, urgent }: Year): void {
  expect(added.length).toBeGreaterThan(10);
  const keys = added.map(({ objectId, id }) => `${objectId} ${id}`);
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  const notified = added.filter((one) => one.notified);
  expect(notified.filter(({ id, at }) => !urgent.has(id) && isQuiet(at, quiet))).toEqual([]);
  const crowded = notified.filter(({ objectId, at }) => {
    const ofDay = notified.filter((one) => one.objectId === objectId && one.at <= at && +at - +one.at < 24 * hourMs);
    return ofDay.length > 3;
  });
  expect(crowded).toEqual([]);
}

interface RecipientRow {
  readonly message_id: string;
  readonly pass_id: string;
  readonly serial_number: string;
  readonly google_outcome: string | null;
}

/** Expects that each recipient at Google got the message once, or has an outcome that explains the absence. */
async function expectRecipients({ world, google }: Year): Promise<void> {
  const { reads } = app.get(Database);
  const sql = 'SELECT message_id, pass_id, serial_number, google_outcome FROM message_recipient WHERE account_id = $1';
  const recipients = await reads.query<RecipientRow[]>(sql, [world.account.id]);
  const outcomes = recipients.map((one) => {
    const objectId = `${app.google.issuerId}.${one.serial_number}`;
    const added = google.added.find(({ objectId: other, id }) => other === objectId && id === one.message_id);
    if (!atGoogle.includes(one.pass_id)) return [one, null, one.google_outcome];
    const unsent =
      ['expired', 'superseded', 'queue_full'].find((reason) => reason === one.google_outcome) ?? 'a reason';
    return [one, added ? (added.notified ? 'notified' : 'daily_limit') : unsent, one.google_outcome];
  });
  expect(outcomes.filter(([, expected, outcome]) => expected !== outcome)).toEqual([]);
  expect(new Set(outcomes.map(([, , outcome]) => outcome)).size).toBeGreaterThan(1);
}

/** Expects that each pass shows, for each topic, only the newest message that it got. */
async function expectNewestTopics({ world }: Year): Promise<void> {
  const sql = `SELECT p.id, shown.message ->> 'topic' AS topic, shown.message ->> 'id' AS shown, (
      SELECT m.id FROM message_recipient r JOIN message m ON m.account_id = r.account_id AND m.id = r.message_id
      WHERE r.account_id = p.account_id AND r.pass_id = p.id AND m.topic = shown.message ->> 'topic'
      ORDER BY m.send_at DESC, m.created_at DESC, m.id DESC LIMIT 1) AS newest
    FROM pass p, jsonb_array_elements(p.messages) AS shown(message)
    WHERE p.account_id = $1 AND shown.message ->> 'topic' IS NOT NULL`;
  const topics = await app.get(Database).reads.query<{ shown: string; newest: string }[]>(sql, [world.account.id]);
  expect(topics.filter(({ shown, newest }) => shown !== newest)).toEqual([]);
}

interface SentRow {
  readonly urgent: boolean;
  readonly sent_at: Date;
}

/** Expects that the counts of each message add up, and that each pass has changed once for each message. */
async function expectYear(year: Year): Promise<void> {
  const { world, known, changes: made } = year;
  const { reads } = app.get(Database);
  const sent = await reads.query<SentRow[]>(
    `SELECT m.urgent, r.sent_at FROM message_recipient r JOIN message m ON m.account_id = r.account_id AND m.id = r.message_id
     WHERE r.account_id = $1`,
    [world.account.id],
  );
  expect(sent.filter(({ urgent, sent_at }) => !urgent && isQuiet(sent_at, quiet))).toEqual([]);
  for (const id of known) {
    const { status, passId, progress } = await world.message(id);
    expect(['sent', 'cancelled', 'superseded', 'paused']).toContain(status);
    const { body } = await world.get(`messages/${id}/recipients?limit=100`).expect(200);
    for (const { outcome, passes } of progress.walletBOutcomes) {
      expect(body.data.filter((one: { walletBOutcome: string }) => one.walletBOutcome === outcome)).toHaveLength(
        passes,
      );
    }
    const skipped = progress.skipped.reduce((sum: number, { passes }: { passes: number }) => sum + passes, 0);
    expect(progress.sent + skipped).toBe(progress.passes);
    if (status === 'sent') expect(progress.passes).toBe(passId === null ? passIds.length : 1);
  }
  await expectNewestTopics(year);
  // A pass changes once when it is prepared, and once for each message that it gets.
  const versions = await reads.query<{ id: string; changes: number; messages: number; prepared: number }[]>(
    `SELECT p.id, p.version - 1 AS changes,
       (SELECT count(*)::int FROM message_recipient r WHERE r.account_id = p.account_id AND r.pass_id = p.id) AS messages,
       (p.id < 'p3' AND p.messages IS NOT NULL)::int AS prepared
     FROM pass p WHERE p.account_id = $1`,
    [world.account.id],
  );
  expect(versions).toHaveLength(passIds.length);
  for (const { id, changes, messages, prepared } of versions) {
    expect(changes).toBe(messages + prepared + (made.get(id) ?? 0));
  }
}
