/**
 * Simulates the writes of one issuer at Google. On each node, accounts take turns. The more accounts share a node, the
 * fewer writes an account may claim in its turn. All nodes share Google's quota for writes.
 */

/**
 * @param rules `google` of parameters.json
 * @param bulk the number of objects that a template change of one account updates
 * @param singlesPerSecond the rate of single changes, each from a different account
 * @returns the seconds until all objects of the template are current, and the longest wait of a single change
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
    // Single changes arrive only while the change of the template lasts.
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
  /** The claimed writes, in the order in which they will use the quota. */
  line = [];
  /** The remaining writes in the turn of each account. */
  #turns = new Map();

  constructor(rules) {
    this.rules = rules;
  }

  /**
   * Starts turns until the maximum number of accounts has one.
   * @returns the number of objects claimed from the template change
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

  /** Performs the first claimed write. The turn of an account ends with its last write. */
  write() {
    const write = this.line.shift();
    const writesLeft = this.#turns.get(write.name) - 1;
    if (writesLeft > 0) this.#turns.set(write.name, writesLeft);
    else this.#turns.delete(write.name);
    return write;
  }
}
