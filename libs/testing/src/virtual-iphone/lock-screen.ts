import { passFields } from './field-rules.js';
import type { PassJson } from './pass-json-rules.js';

/** What a phone shows on its lock screen when an update changed a field that has a change message. */
export interface PassNotification {
  readonly at: Date;
  readonly passTypeIdentifier: string;
  readonly serialNumber: string;
  /** The pass's organisation. */
  readonly title: string;
  /** The change message with the new value in it. */
  readonly text: string;
}

/** The lines of an update: fields whose value has changed and that have a change message; new fields are silent. */
export function changeMessages(before: PassJson, after: PassJson): string[] {
  const earlier = passFields(before);
  return [...passFields(after).values()].flatMap(({ key, value, changeMessage }) => {
    const old = earlier.get(key);
    if (!old || old.value === value || changeMessage === undefined) return [];
    return changeMessage.replace(/%[%@]/g, (code) => (code === '%@' ? String(value) : '%'));
  });
}
