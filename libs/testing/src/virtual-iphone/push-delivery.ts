import type { VirtualIPhone } from './virtual-iphone.js';

/** A source of pushes, such as `FakeApns`, that calls a listener with each accepted push. */
export interface PushSource {
  /** Calls the listener with each push. @returns a function that unsubscribes */
  onPush(listener: (push: { readonly token: string; readonly topic: string | null }) => void): () => void;
}

/** A delivery of pushes to phones. */
export interface PushDelivery {
  /** The number of pushes that phones have received. */
  readonly delivered: number;
  /** The number of pushes whose token belonged to no phone. */
  readonly undeliverable: number;
  /**
   * Waits until the phones have processed all pushes, even those that arrive meanwhile.
   * @throws the error of a phone
   */
  settled(): Promise<void>;
  /** Stops delivering, and then waits like `settled`. */
  stop(): Promise<void>;
}

/**
 * Delivers each push to the phone with its token, like Apple's push service. Tests may add and remove `phones` at any
 * time.
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
