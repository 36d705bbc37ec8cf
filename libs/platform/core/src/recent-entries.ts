/**
 * A map with a maximum number of entries. When it is full, a new entry replaces the least recently used one. If the
 * entries of a cache differ in size, limit its bytes with lru-cache instead.
 */
export class RecentEntries<K, V> {
  /** Entries, least recently used first. */
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

  delete(key: K): void {
    this.entries.delete(key);
  }
}
