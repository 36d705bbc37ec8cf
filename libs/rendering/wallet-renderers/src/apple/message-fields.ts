import type { RenderMessage, RenderPass } from '../model.js';
import { type Place, venueTime } from '../venue-time.js';
import type { Phrases } from '../web/phrases/phrases.js';

/** A back field of messages, as `pass.json` contains it. */
interface MessageField {
  key: string;
  label: string;
  value: string;
  changeMessage?: string;
}

/** The value of the message field until the first message is sent. */
const noMessage = '–';

/**
 * Returns a back field for the newest message, and a second one if there are earlier messages. Devices show changes of
 * the first field on the lock screen; the second changes silently. Devices announce changes only of fields that they
 * already have, so the first field exists before any message is sent. Returns no fields if the pass's `messages` are
 * null or undefined.
 * @param placeOf returns the place in whose time zone earlier messages have their day; null for UTC
 * @see https://developer.apple.com/documentation/walletpasses/passfieldcontent
 */
export function messageFields(
  { messages }: Pick<RenderPass, 'messages'>,
  labels: Pick<Phrases, 'message' | 'earlierMessages'>,
  placeOf: () => Place | null,
): MessageField[] {
  if (!messages) return [];
  const [newest, ...earlier] = messages;
  const text = newest ? messageLine(newest) : noMessage;
  const field = { key: '_message', label: labels.message, value: text, changeMessage: '%@' };
  if (earlier.length === 0) return [field];
  const place = placeOf();
  const value = earlier.map((message) => datedLine(message, place)).join('\n\n');
  return [field, { key: '_messages', label: labels.earlierMessages, value }];
}

/** Returns a message as devices show it: its title, if it has a title, and its text. */
function messageLine({ title, text }: Pick<RenderMessage, 'title' | 'text'>): string {
  return title === null ? text : `${title}: ${text}`;
}

function datedLine(message: RenderMessage, place: Place | null): string {
  const [day = ''] = venueTime(new Date(message.sentAt), place).split('T');
  return `${day} · ${messageLine(message)}`;
}
