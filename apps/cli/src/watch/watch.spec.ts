import { detailOf, isShown, subjectOf } from './filter.js';
import { eventStream, type EventSource, type WatchedEvent } from './stream.js';

const event = (id: string, type = 'pass.changed', data: object = {}): WatchedEvent => ({
  id,
  type,
  timestamp: '2026-11-20T10:00:00.000Z',
  data: { ...data },
});
const refusal = (statusCode: number, code: string) => Object.assign(new Error(code), { statusCode, code });

/** A service that answers one after the other, and what it was asked. */
function service(answers: (WatchedEvent[] | Error)[], stop: AbortController) {
  const asked: Parameters<EventSource['listWebhookEvents']>[0][] = [];
  const source: EventSource = {
    listWebhookEvents: (request) => {
      asked.push(request);
      const answer = answers[asked.length - 1];
      if (answer === undefined) stop.abort();
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ data: answer ?? [], nextCursor: null, cursor: `after ${asked.length}` });
    },
  };
  return { source, asked };
}

async function watched(answers: (WatchedEvent[] | Error)[]) {
  const stop = new AbortController();
  const { source, asked } = service(answers, stop);
  const pauses: number[] = [];
  const gaps: (string | null)[] = [];
  const pause = (ms: number) => Promise.resolve(void pauses.push(ms));
  const onGap = (why: Error | null) => void gaps.push(why && why.message);
  const ids: string[] = [];
  for await (const { id } of eventStream(source, { webhookId: 'whk', signal: stop.signal, pause, onGap })) ids.push(id);
  return { ids, asked, pauses, gaps };
}

describe('the stream of events', () => {
  it('goes on from the last cursor after the service was away, and neither misses nor repeats one', async () => {
    const gone = refusal(0, 'connection_failed');
    const answers = [[], [event('a')], gone, refusal(503, 'x'), [event('a'), event('b')], [event('c')]];
    const { ids, asked, pauses, gaps } = await watched(answers);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(asked.map(({ cursor, from }) => cursor ?? from)).toEqual(
      // A failed request is asked again from the same place.
      ['now', 'after 1', 'after 2', 'after 2', 'after 2', 'after 5', 'after 6'],
    );
    expect(pauses).toEqual([500, 1000]);
    expect(gaps).toEqual(['connection_failed', null]);
  });

  it('ends with a refusal that time does not mend', async () => {
    await expect(watched([[], refusal(404, 'webhook_not_found')])).rejects.toThrow('webhook_not_found');
  });
});

describe('what is shown of an event', () => {
  it('chooses by template and by type', () => {
    const installed = event('a', 'pass.installed', { templateId: 'summer', passId: 'ada' });
    expect(isShown(installed, { template: 'summer', type: 'pass.*' })).toBe(true);
    expect(isShown(installed, { type: 'pass.removed, pass.installed' })).toBe(true);
    expect(isShown(installed, { template: 'winter' })).toBe(false);
    expect(isShown(installed, { type: 'pass.removed' })).toBe(false);
  });

  it('names the pass or the member, and what else there is', () => {
    const member = event('a', 'member.renewed', { memberId: 3, templateId: 'club', passId: 'x', status: 'active' });
    expect([subjectOf(member), detailOf(member)]).toEqual(['member 3  club/x', 'status active']);
  });
});
