import type { VirtualIPhone } from './virtual-iphone.js';

/** Where pushes come from: `FakeApns`, or whatever calls a listener with each push it has accepted. */
export interface PushSource {
  /** @returns what ends the calls */
  onPush(listener: (push: { readonly token: string; readonly topic: string | null }) => void): () => void;
}

/** Pushes on their way to phones. */
export interface PushDelivery {
  /** How many a phone has got. */
  readonly delivered: number;
  /** How many no phone had the token for. */
  readonly undeliverable: number;
  /** Waits until the phones have dealt with every push so far, and with those that come meanwhile. @throws what a phone threw */
  settled(): Promise<void>;
  /** Delivers no more, and waits as `settled` does. */
  stop(): Promise<void>;
}

/**
 * Brings each push to the phone that has its token, as Apple's push service does. `phones` is looked through at each push:
 * phones may come and go.
 */
export function deliverPushes(source: PushSource, phones: Iterable<VirtualIPhone>): PushDelivery {
  const underway = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const counts = { delivered: 0, undeliverable: 0 };
  const end = source.onPush(({ token, topic }) => {
    const phone = [...phones].find((one) => topic !== null && one.tokens.get(topic) === token);
    if (!phone || topic === null) {
      counts.undeliverable++;
      return;
    }
    counts.delivered++;
    const delivery: Promise<unknown> = phone
      .receivePush(token, topic)
      .catch((error: unknown) => failures.push(error))
      .finally(() => underway.delete(delivery));
    underway.add(delivery);
  });
  const settled = async () => {
    while (underway.size > 0) await Promise.all(underway);
    if (failures.length > 0) throw failures.shift();
  };
  return {
    get delivered() {
      return counts.delivered;
    },
    get undeliverable() {
      return counts.undeliverable;
    },
    settled,
    stop: () => {
      end();
      return settled();
    },
  };
}
