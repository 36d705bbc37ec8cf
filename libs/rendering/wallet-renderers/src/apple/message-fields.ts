import type { RenderMessage, RenderPass } from '../model.js';
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
 * @see https://developer.apple.com/documentation/walletpasses/passfieldcontent
 */
export function messageFields(
  { messages }: Pick<RenderPass, 'messages'>,
  labels: Pick<Phrases, 'message' | 'earlierMessages'>,
): MessageField[] {
  if (!messages) return [];
  const [newest, ...earlier] = messages;
  const value = newest ? messageLine(newest) : noMessage;
  const field = { key: '_message', label: labels.message, value, changeMessage: '%@' };
  return earlier.length === 0
    ? [field]
    : [field, { key: '_messages', label: labels.earlierMessages, value: earlier.map(datedLine).join('\n\n') }];
}

/** Returns a message as devices show it: its title, if it has a title, and its text. */
function messageLine({ title, text }: Pick<RenderMessage, 'title' | 'text'>): string {
  return title === null ? text : `${title}: ${text}`;
}

function datedLine(message: RenderMessage): string {
  return `${message.sentAt.slice(0, 10)} · ${messageLine(message)}`;
}
