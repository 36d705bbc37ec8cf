import { Readable, Writable } from 'node:stream';
import type { DeliveryResponse, Passwright } from '@passwright/client';
import { Output } from '../output.js';
import { Deliveries, summaryOf } from './deliveries.js';
import { detailOf, isShown, subjectOf } from './event-filter.js';
import { unknownTypes } from './event-types.js';
import { eventStream, type EventSource, type WatchedEvent } from './stream.js';
import { WatchWebhook } from './watch-webhook.js';

const event = (id: string, type = 'pass.changed', data: object = {}): WatchedEvent => ({
  id,
  type,
  timestamp: '2026-11-20T10:00:00.000Z',
  data: { ...data },
});
const rejection = (statusCode: number, code: string) => Object.assign(new Error(code), { statusCode, code });

/** Builds a service that returns scripted responses and records its requests. */
function service(responses: (WatchedEvent[] | Error)[], stop: AbortController) {
  const asked: Parameters<EventSource['listWebhookEvents']>[0][] = [];
  const source: EventSource = {
    listWebhookEvents: (request) => {
      asked.push(request);
      const response = responses[asked.length - 1];
      if (response === undefined) stop.abort();
      if (response instanceof Error) return Promise.reject(response);
      return Promise.resolve({ data: response ?? [], nextCursor: null, cursor: `after ${asked.length}` });
    },
  };
  return { source, asked };
}

async function watched(responses: (WatchedEvent[] | Error)[]) {
  const stop = new AbortController();
  const { source, asked } = service(responses, stop);
  const pauses: number[] = [];
  const gaps: (string | null)[] = [];
  const pause = (ms: number) => Promise.resolve(void pauses.push(ms));
  const onGap = (why: Error | null) => void gaps.push(why && why.message);
  const ids: string[] = [];
  for await (const { id } of eventStream(source, { webhookId: 'whk', signal: stop.signal, pause, onGap })) ids.push(id);
  return { ids, asked, pauses, gaps };
}

describe('the stream of events', () => {
  it('the stream continues from the last cursor after an outage, without missing or repeating an event', async () => {
    const gone = rejection(0, 'connection_failed');
    const replies = [[], [event('a')], gone, rejection(503, 'x'), [event('a'), event('b')], [event('c')]];
    const { ids, asked, pauses, gaps } = await watched(replies);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(asked.map(({ cursor, from }) => cursor ?? from)).toEqual(
      // After a failure, the next request has the same cursor.
      ['now', 'after 1', 'after 2', 'after 2', 'after 2', 'after 5', 'after 6'],
    );
    expect(pauses).toEqual([500, 1000]);
    expect(gaps).toEqual(['connection_failed', null]);
  });

  it('the stream continues with new events if the service rejects its cursor after a restore', async () => {
    const replies = [[], [event('a')], rejection(400, 'validation_failed'), [], [event('b')]];
    const { ids, asked, gaps } = await watched(replies);
    expect(ids).toEqual(['a', 'b']);
    expect(asked.map(({ cursor, from }) => cursor ?? from)).toEqual([
      'now',
      'after 1',
      'after 2',
      'now',
      'after 4',
      'after 5',
    ]);
    expect(gaps).toEqual(['validation_failed']);
  });

  it('the stream ends if the service rejects it permanently', async () => {
    await expect(watched([[], rejection(404, 'webhook_not_found')])).rejects.toThrow('webhook_not_found');
  });
});

describe('the display of an event', () => {
  it('the display filters events by template and by type', () => {
    const installed = event('a', 'pass.installed', { templateId: 'summer', passId: 'ada' });
    expect(isShown(installed, { template: 'summer', type: 'pass.*' })).toBe(true);
    expect(isShown(installed, { type: 'pass.removed, pass.installed' })).toBe(true);
    expect(isShown(installed, { template: 'winter' })).toBe(false);
    expect(isShown(installed, { type: 'pass.removed' })).toBe(false);
  });

  it('the display shows the pass or member of an event, and its other data', () => {
    const member = event('a', 'member.renewed', { memberId: 3, templateId: 'club', passId: 'x', status: 'active' });
    expect([subjectOf(member), detailOf(member)]).toEqual(['member 3  club/x', 'status active']);
  });
});

describe('a webhook left by a killed watch', () => {
  const open = async (left: string[], running: number[] = []) => {
    const made: string[] = [];
    const client = {
      createWebhook: ({ body: { name } }: { body: { name: string } }) => {
        made.push(name);
        return Promise.resolve({ id: 'new', name, url: null });
      },
      each: () => Readable.from(left.map((name, at) => ({ id: `left ${at}`, name, url: null }))),
    };
    const { id } = await WatchWebhook.open(client as unknown as Passwright, (pid) => running.includes(pid));
    return { id, made };
  };

  it('`watch` takes over the webhook of a killed watch, but not a webhook in use', async () => {
    const [name = ''] = (await open([])).made;
    const of = (pid: number) => name.replace(/\d+ \w+$/, `${pid} 0a`);
    expect((await open([of(4711)])).id).toBe('left 0');
    // In a container, every watch has the pid 1.
    expect((await open([of(process.pid)], [process.pid])).id).toBe('left 0');
    const elsewhere = 'passwright watch on elsewhere, process 1 0a';
    expect((await open([name, of(4711), elsewhere], [4711, process.pid])).id).toBe('new');
  });
});

describe('deliveries', () => {
  const delivery = (verdicts: string[], walletB = 'none'): DeliveryResponse =>
    ({
      devices: verdicts.map((verdict) => ({ verdict, pushed: null })),
      push: { state: 'on' },
      walletB: { state: walletB },
      nextCursor: null,
    }) as unknown as DeliveryResponse;

  it('deliveries report how many devices have a change, what is pending, and whether the delivery has ended', () => {
    expect(summaryOf(delivery(['up_to_date', 'updates_off']))).toEqual({
      text: 'Apple: 1 of 1 devices have it; 1 take no updates',
      over: true,
    });
    expect(summaryOf(delivery(['waiting'], 'current'))).toMatchObject({ over: false });
    expect(summaryOf(delivery([], 'waiting'))).toEqual({ text: 'Google: on its way', over: false });
    expect(summaryOf(delivery([]))).toEqual({ text: 'no wallet has this pass', over: true });
  });

  it('deliveries report each new state of a changed pass once, and stop when the watch ends', async () => {
    const lines: string[] = [];
    const stdout = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
    const output = new Output({ stdout, stderr: stdout, env: {} });
    const asked: string[] = [];
    const client = {
      getPassDelivery: ({ passId }: { passId: string }) => {
        asked.push(passId);
        return Promise.resolve(delivery([passId === 'ada' ? 'up_to_date' : 'waiting']));
      },
    };
    const deliveries = new Deliveries(client, output, new AbortController().signal);
    const of = (passId: string) => ({ templateId: 'summer', passId });
    deliveries.follow(event('1', 'pass.installed', of('nobody')));
    for (const passId of ['ada', 'ada', 'bob']) deliveries.follow(event('2', 'pass.changed', of(passId)));
    await new Promise(setImmediate);
    // The delivery to bob is still pending.
    await deliveries.end();
    expect(asked).toEqual(['ada', 'bob']);
    expect(lines.map((line) => line.trim())).toEqual([
      '→ summer/ada  Apple: 1 of 1 devices have it',
      '→ summer/bob  Apple: 0 of 1 devices have it',
    ]);
  });
});

it.each([
  [undefined, []],
  ['pass.created, member.*,*', []],
  ['pass.create', [expect.stringMatching(/^No known event has the type "pass\.create"\. Known: pass\.created, /)]],
  ['ticket.*', [expect.stringContaining('Known: pass.*, template.*, ')]],
])('a watch of the types %s warns of each type that no event has', (option, sentences) => {
  expect(unknownTypes(option)).toEqual(sentences);
});
