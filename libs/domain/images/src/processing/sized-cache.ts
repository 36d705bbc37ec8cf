/** A cache with a limit on its total size. Drops the least recently read entry first. */
export class SizedCache<DecodedImage> {
  private readonly stored = new Map<string, DecodedImage>();
  private bytes = 0;

  /** @param sizeOf returns the size in bytes, which must not change */
  constructor(
    private readonly maxBytes: number,
    private readonly sizeOf: (decoded: DecodedImage) => number,
  ) {}

  get(key: string): DecodedImage | undefined {
    const decoded = this.stored.get(key);
    if (!decoded) return undefined;
    // Insert the entry again, so that it is the last one in the map's order.
    this.stored.delete(key);
    this.stored.set(key, decoded);
    return decoded;
  }

  /** Stores an entry. Ignores an entry larger than a quarter of the limit, which would push out too many others. */
  set(key: string, decoded: DecodedImage): void {
    if (this.sizeOf(decoded) > this.maxBytes / 4) return;
    const former = this.stored.get(key);
    this.bytes += this.sizeOf(decoded) - (former ? this.sizeOf(former) : 0);
    this.stored.delete(key);
    this.stored.set(key, decoded);
    for (const [oldest, each] of this.stored) {
      if (this.bytes <= this.maxBytes) return;
      this.stored.delete(oldest);
      this.bytes -= this.sizeOf(each);
    }
  }
}
