import { Database } from '@passwright/database';
import { analysedPlan, mostRowsRead, vacuumed } from '@passwright/testing';
import { TestApp } from '../test-app.fixtures.js';
import { MessagesQuery } from './message.dto.js';
import { MessagesRepository } from './messages.repository.js';
import { MessagesWorld } from './messages.fixtures.js';

/** Skips the test if PARTITIONS is set, because Postgres scans small partitions completely. */
const describeWithoutPartitions = process.env.PARTITIONS ? describe.skip : describe;

let app: TestApp;
let world: MessagesWorld;

/** Copies a message 5000 times: 10 of the oldest belong to another template, and 10 to 19 are cancelled. */
const copies = `
  INSERT INTO message (account_id, id, template_id, text, filter, urgent, status, step, send_at, created_at)
  SELECT account_id, 'msg_' || lpad(n::text, 22, '0'), CASE WHEN n < 10 THEN 'rare' ELSE template_id END, text, filter,
    urgent, CASE WHEN n BETWEEN 10 AND 19 THEN 'cancelled' ELSE 'sent' END, step, send_at,
    created_at - (6000 - n) * interval '1 s'
  FROM message, generate_series(0, 4999) n WHERE account_id = $1 AND id = $2`;

describeWithoutPartitions('the list of thousands of messages', () => {
  beforeAll(async () => {
    app = await TestApp.start();
    app.clock.set('2026-11-20T10:00:00.000Z');
    world = await MessagesWorld.of(app);
    await world.issue('ada');
    const planned = { text: 'Doors open.', sendAt: '2026-11-20T11:00:00.000Z' };
    const { body } = await world.post('pass/offer/ada/messages', planned).expect(201);
    const { reads } = app.get(Database);
    await reads.query(copies, [world.account.id, body.id]);
    await vacuumed(reads, 'message');
  });
  afterAll(() => app.stop());

  it.each([
    ['the first page of a frequent status', { status: 'sent' }, 20],
    ['messages with a rare status', { status: 'cancelled' }, 10],
    ['planned messages', { status: 'scheduled' }, 1],
    ['messages with a status, although there are none', { status: 'superseded' }, 0],
    ['messages of a rare template', { templateId: 'rare' }, 10],
    ['messages of a template, although there are none', { templateId: 'none' }, 0],
    ['messages of a frequent template with a rare status', { templateId: 'offer', status: 'cancelled' }, 10],
    ['messages of a rare template with a frequent status', { templateId: 'rare', status: 'sent' }, 10],
  ])('the service lists %s without reading other messages', async (_, filters, count) => {
    const { reads } = app.get(Database);
    const list = Object.assign(new MessagesQuery(), filters);
    const { data } = await app.get(MessagesRepository).list(world.account.id, list, ({ id }) => id);
    expect(data).toHaveLength(count);
    const [sql, values] = app.get(MessagesRepository).select(world.account.id, list).getQueryAndParameters();
    expect(mostRowsRead(await analysedPlan(reads, sql, values))).toBeLessThan(50);
  });
});
