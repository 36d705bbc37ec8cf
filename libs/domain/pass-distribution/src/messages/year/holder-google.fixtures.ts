import type { GoogleResource, GoogleResult } from '@passwright/core';
import type { TestApp } from '../../test-app.fixtures.js';

/** A message that Google has added to an object. */
export interface AddedMessage {
  readonly objectId: string;
  readonly id: string;
  readonly notified: boolean;
  readonly at: Date;
}

/**
 * A fake Google that records the messages on each object and every message that was ever added. Unlike Google, it has
 * no daily limit of notifications, so that a test can detect a fourth one.
 */
export class HolderGoogle {
  readonly added: AddedMessage[] = [];
  /** `down`: Google stores nothing. `unclear`: Google stores everything, but its responses to messages get lost. */
  state: 'up' | 'down' | 'unclear' = 'up';
  private readonly onObjects = new Map<string, AddedMessage[]>();

  constructor(
    private readonly app: TestApp,
    private readonly cross: () => void,
  ) {}

  /** Responds to a write like the client of Google's API. */
  respond({ body, message, mayHave = [] }: GoogleResource): Partial<GoogleResult> {
    this.cross();
    if (this.state === 'down') return { outcome: 'retry', status: 503, message: undefined };
    const wanted = [...mayHave, ...(message?.mayExist ? [message.id] : [])];
    const before = this.onObjects.get(body.id) ?? [];
    const found = before.filter(({ id }) => wanted.includes(id));
    if (found.length > 0) return { outcome: 'found', message: undefined, found };
    const kept = new Set(((body.messages ?? []) as { id: string }[]).map(({ id }) => id));
    // A write of the object replaces its messages, but does not notify holders.
    const now = before.filter(({ id }) => kept.has(id)).map((one) => ({ ...one, notified: false }));
    this.onObjects.set(body.id, now);
    this.cross();
    if (!message) return { found };
    const notified = message.messageType === 'TEXT_AND_NOTIFY';
    const one = { objectId: body.id, id: message.id, notified, at: this.app.clock.now() };
    this.added.push(one);
    now.push(one);
    this.cross();
    if (this.state === 'unclear') return { outcome: 'retry', status: null, message: 'unclear' };
    return { found, message: notified ? 'notified' : 'shown' };
  }
}
