import type { Context } from '../context.js';
import type { Output, Style } from '../output.js';
import { Deliveries } from './deliveries.js';
import { detailOf, isShown, subjectOf, type EventFilter } from './event-filter.js';
import { unknownTypes } from './event-types.js';
import { eventStream, sourceOf, type WatchedEvent } from './stream.js';
import { WatchWebhook } from './watch-webhook.js';

export interface WatchOptions extends EventFilter {
  deliveries?: boolean;
  count?: number;
}

/** Runs `passwright watch` until Ctrl-C. Ctrl-C is the normal end, so the exit code is 0. */
export async function watch(context: Context, options: WatchOptions): Promise<void> {
  const { output, io } = context;
  const client = await context.client();
  const { url } = await context.connection();
  for (const sentence of unknownTypes(options.type)) output.warn(sentence);
  const webhook = await WatchWebhook.open(client);
  const deliveries = options.deliveries ? new Deliveries(client, output, io.signal) : null;
  try {
    const onGap = (why: Error | null) =>
      why ? output.note(`${url} does not respond (${why.message}); waiting …`) : output.note(`${url} is back.`);
    let shown = 0;
    const onReady = () => output.note(output.style('dim', `Watching ${url}. Ctrl-C ends.`, io.stderr));
    for await (const event of eventStream(sourceOf(client), {
      webhookId: webhook.id,
      signal: io.signal,
      onReady,
      onGap,
    })) {
      if (!isShown(event, options)) continue;
      show(output, event);
      deliveries?.follow(event);
      shown += 1;
      if (shown === options.count) break;
    }
    await deliveries?.end();
  } finally {
    if (!(await webhook.close()))
      output.warn(`The webhook ${webhook.id} could not be deleted; the next watch on this machine will use it.`);
  }
}

const styles: readonly [RegExp, Style][] = [
  [/created|installed|activated|renewed|unvoided|unarchived/, 'green'],
  [/deleted|removed|voided|expired|archived|cancelled|suspended/, 'red'],
  [/expiring/, 'yellow'],
  [/changed|redeemed/, 'cyan'],
];

function show(output: Output, event: WatchedEvent): void {
  output.item(event);
  const [, style = 'bold'] = styles.find(([form]) => form.test(event.type)) ?? [];
  const detail = detailOf(event);
  const type = output.style(style, event.type.padEnd(20));
  const parts = [output.style('dim', localTime(event.timestamp)), type, subjectOf(event)];
  output.line([...parts, ...(detail ? [output.style('dim', detail)] : [])].join('  '));
}

/** Formats a time in the reader's time zone. */
export function localTime(timestamp: string): string {
  const time = new Date(timestamp);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => `${part}`.padStart(2, '0')).join(':');
}
