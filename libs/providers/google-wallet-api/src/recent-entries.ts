/** A map that keeps no more than so many entries: past that, the one longest unused goes. */
export class RecentEntries<K, V> {
  /** The first is the one longest unused. */
  private readonly entries = new Map<K, V>();

  constructor(private readonly most: number) {}

  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.most) return;
    for (const longestUnused of this.entries.keys()) {
      this.entries.delete(longestUnused);
      return;
    }
  }
}
