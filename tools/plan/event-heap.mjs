/** A priority queue of events. It orders them by time and then by arrival, so that each run gives the same result. */
export class EventHeap {
  #events = [];
  #count = 0;

  get size() {
    return this.#events.length;
  }

  add(at, run) {
    const events = this.#events;
    const event = { at, order: this.#count++, run };
    let index = events.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, events[parent])) break;
      events[index] = events[parent];
      index = parent;
    }
    events[index] = event;
  }

  /** Removes the first event. @returns undefined if there is none */
  next() {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (events.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1], events[child])) child += 1;
      if (!isBefore(events[child], last)) break;
      events[index] = events[child];
      index = child;
    }
    events[index] = last;
    return first;
  }
}

function isBefore(a, b) {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Returns a generator of random numbers from 0 to 1 that depend only on the seed (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
