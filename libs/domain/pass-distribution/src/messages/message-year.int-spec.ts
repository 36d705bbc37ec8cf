import { Database } from '@passwright/database';
import { PassMessagesService } from '@passwright/passes';
import fc from 'fast-check';
import { TestApp } from '../test-app.fixtures.js';
import { pageLimits } from './message-sender.service.js';
import { MessagesWorld, running } from './messages.fixtures.js';
import { MessagesHandlers } from './messages.handlers.js';
import { MessagesRepository } from './messages.repository.js';
import { isQuiet } from './settings/quiet-hours.js';

/*
 * A simulated year of messages, with a random plan, quiet hours in a zone with clock changes, and processes that end
 * before and after commits.
 */
let app: TestApp;
beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
afterEach(() => jest.restoreAllMocks());

const hourMs = 3_600_000;
const beginning = new Date('2026-11-20T10:00:00.000Z').getTime();
const quiet = { timeZone: 'Europe/Berlin', from: 21 * 60 + 30, until: 7 * 60 + 15 };
const passIds = Array.from({ length: 7 }, (_, n) => `p${n}`);

/** One thing that happens in the year. */
interface Happening {
  readonly hours: number;
  readonly what: 'plan' | 'plan for one' | 'urgent' | 'pause' | 'resume' | 'cancel' | 'nothing';
  readonly inHours: number;
  readonly topic: string | null;
  readonly pass: string;
  /** The process ends: before the commit of a page, after it, or not at all. */
  readonly crash: 'before' | 'after' | 'none';
}

const happening: fc.Arbitrary<Happening> = fc.record({
  hours: fc.integer({ min: 1, max: 290 }),
  what: fc.constantFrom('plan', 'plan', 'plan for one', 'urgent', 'pause', 'resume', 'cancel', 'nothing'),
  inHours: fc.integer({ min: 0, max: 400 }),
  topic: fc.constantFrom(null, 'gate', 'bar'),
  pass: fc.constantFrom(...passIds),
  crash: fc.constantFrom('before', 'after', 'none'),
});

/** Runs the messages that are due; a crash ends the first run. */
async function minutePasses({ account }: MessagesWorld, crash: Happening['crash']): Promise<void> {
  const passes = app.get(PassMessagesService);
  const show = passes.show.bind(passes);
  const spy = jest.spyOn(passes, 'show');
  if (crash === 'before') {
    spy.mockImplementationOnce(async (...args) => {
      await show(...args);
      throw new Error('The process ended before the commit');
    });
  }
  const due = await app.get(MessagesRepository).due(app.clock.now(), 1000);
  for (const { id: messageId } of due.filter(({ accountId }) => accountId === account.id)) {
    const signal = crash === 'after' ? AbortSignal.abort() : new AbortController().signal;
    const run = app.get(MessagesHandlers).due({ accountId: account.id, messageId }, running(signal));
    await run.catch(() => undefined);
  }
  spy.mockRestore();
}

async function happen(world: MessagesWorld, { what, inHours, topic, pass }: Happening, known: string[]): Promise<void> {
  const sendAt = new Date(app.clock.now().getTime() + inHours * hourMs).toISOString();
  const body = { text: `Message ${known.length}`, topic, sendAt, urgent: what === 'urgent' };
  if (what === 'plan' || what === 'urgent') known.push((await world.post('templates/offer/messages', body)).body.id);
  if (what === 'plan for one') known.push((await world.post(`pass/offer/${pass}/messages`, body)).body.id);
  const last = known.at(-1);
  if (last && (what === 'pause' || what === 'resume' || what === 'cancel'))
    await world.post(`messages/${last}/${what}`);
}

interface SentRow {
  readonly urgent: boolean;
  readonly sent_at: Date;
}

it('the service sends each message of a year once to each pass, despite crashes, and none in quiet hours', async () => {
  jest.replaceProperty(pageLimits, 'passesAtOnce', 3);
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 60, maxLength: 60 }), async (year) => {
      app.clock.set(new Date(beginning).toISOString());
      const world = await MessagesWorld.of(app);
      const settings = { timeZone: quiet.timeZone, quietHours: { from: '21:30', until: '07:15' } };
      await app.request('put', '/v1/account/messages').set('Authorization', world.account.id).send(settings);
      for (const id of passIds) {
        const serial = await world.issue(id, id === 'p6' ? { voided: true } : {});
        if (id < 'p3') await world.onPhone(serial);
      }
      const known: string[] = [];
      for (const one of year) {
        app.clock.advance(one.hours * 3600);
        await minutePasses(world, one.crash);
        await happen(world, one, known);
      }
      // Later, no process ends any more.
      for (let n = 0; n < 120; n += 1) {
        app.clock.advance(5 * 3600 + 7 * 60);
        await minutePasses(world, 'none');
      }
      await expectYear(world, known);
    }),
    { numRuns: 4, endOnFailure: true },
  );
}, 240_000);

async function expectYear(world: MessagesWorld, known: readonly string[]): Promise<void> {
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
    const skipped = progress.skipped.reduce((sum: number, { passes }: { passes: number }) => sum + passes, 0);
    expect(progress.sent + skipped).toBe(progress.passes);
    if (status === 'sent') expect(progress.passes).toBe(passId === null ? passIds.length : 1);
  }
  // A pass changes once when it is prepared, and once with each message that it got.
  const versions = await reads.query<{ id: string; changes: number; messages: number; prepared: number }[]>(
    `SELECT p.id, p.version - 1 AS changes,
       (SELECT count(*)::int FROM message_recipient r WHERE r.account_id = p.account_id AND r.pass_id = p.id) AS messages,
       (p.id < 'p3' AND p.messages IS NOT NULL)::int AS prepared
     FROM pass p WHERE p.account_id = $1`,
    [world.account.id],
  );
  expect(versions).toHaveLength(passIds.length);
  for (const { changes, messages, prepared } of versions) expect(changes).toBe(messages + prepared);
}
