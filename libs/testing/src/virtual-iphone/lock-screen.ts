import { passFields, type PhoneSystem } from './field-rules.js';
import type { PassJson } from './pass-json-rules.js';

/** A notification on the lock screen, after an update of a field with a change message. */
export interface PassNotification {
  readonly at: Date;
  readonly passTypeIdentifier: string;
  readonly serialNumber: string;
  /** The organisation name of the pass. */
  readonly title: string;
  /** The change message with the new value. */
  readonly text: string;
}

/**
 * Returns the lock-screen lines of an update: one for each changed field with a change message. New fields have none.
 */
export function changeMessages(before: PassJson, after: PassJson, system: PhoneSystem): string[] {
  const earlier = passFields(before, system);
  return [...passFields(after, system).values()].flatMap(({ key, value, changeMessage }) => {
    const old = earlier.get(key);
    if (!old || old.value === value || changeMessage === undefined) return [];
    return changeMessage.replace(/%[%@]/g, (code) => (code === '%@' ? String(value) : '%'));
  });
}
