/**
 * Simulates the writes of one issuer at Google. Accounts take turns on each node. The more accounts have a turn on a
 * node, the fewer writes a turn claims. All nodes share the quota, in which each write takes a slot.
 */

/**
 * @param rules `google` of parameters.json
 * @param bulk the objects of a template change of one account
 * @param singlesPerSecond single changes of other accounts, each of an account of its own
 * @returns seconds until the last object of the template is current, and the longest wait of a single change
 */
export function simulateIssuer({ rules, nodes, bulk, singlesPerSecond, random }) {
  const all = Array.from({ length: nodes }, () => new Node(rules));
  let left = bulk;
  let longest = 0;
  let singles = 0;
  let nextSingle = arrival(0);
  let last = 0;
  for (let slot = 0; left > 0 || all.some((node) => node.line.length > 0); slot += 1) {
    const now = slot / rules.perSecond;
    // Single changes come for as long as the change of the template lasts.
    if (left === 0) nextSingle = Infinity;
    for (; nextSingle <= now; nextSingle = arrival(nextSingle)) {
      all[Math.floor(random() * nodes)].waiting.push({ name: `single${singles++}`, since: nextSingle });
    }
    for (const node of all) left -= node.fill(left);
    const busy = all.filter((node) => node.line.length > 0);
    if (busy.length === 0) continue;
    const write = busy[Math.floor(random() * busy.length)].write();
    if (write.since === null) last = now;
    else longest = Math.max(longest, now - write.since);
  }
  return { seconds: last, longest, singles };

  function arrival(after) {
    return singlesPerSecond === 0 ? Infinity : after - Math.log(1 - random()) / singlesPerSecond;
  }
}

class Node {
  /** The accounts that wait for a turn, in order of arrival. */
  waiting = [];
  /** The writes, in the order in which they ask for a slot. */
  line = [];
  /** The number of writes that the turn of each account still has to make. */
  #turns = new Map();

  constructor(rules) {
    this.rules = rules;
  }

  /**
   * Begins turns until as many accounts as allowed have one. @returns the number of objects claimed from the template
   * change
   */
  fill(left) {
    const { accountsAtOnce, underWay } = this.rules;
    let claimed = 0;
    const begin = (name, since, most) => {
      const limit = Math.min(most, Math.ceil(underWay / (this.#turns.size + 1)));
      this.#turns.set(name, limit);
      for (let index = 0; index < limit; index += 1) this.line.push({ name, since });
      return limit;
    };
    if (left > 0 && !this.#turns.has('bulk') && this.#turns.size < accountsAtOnce) claimed = begin('bulk', null, left);
    while (this.waiting.length > 0 && this.#turns.size < accountsAtOnce) {
      const { name, since } = this.waiting.shift();
      begin(name, since, 1);
    }
    return claimed;
  }

  /** Takes a slot for the first write. A turn ends with its last write. */
  write() {
    const write = this.line.shift();
    const writesLeft = this.#turns.get(write.name) - 1;
    if (writesLeft > 0) this.#turns.set(write.name, writesLeft);
    else this.#turns.delete(write.name);
    return write;
  }
}
