/** A cache with a limit on its total size. Drops the least recently read entry first. */
export class SizedCache<DecodedImage> {
  private readonly kept = new Map<string, DecodedImage>();
  private bytes = 0;

  /** @param sizeOf returns the size in bytes, the same each time */
  constructor(
    private readonly maxBytes: number,
    private readonly sizeOf: (picture: DecodedImage) => number,
  ) {}

  get(key: string): DecodedImage | undefined {
    const picture = this.kept.get(key);
    if (!picture) return undefined;
    // Move the entry to the end of the map's order.
    this.kept.delete(key);
    this.kept.set(key, picture);
    return picture;
  }

  /** Stores an entry, unless it is larger than a quarter of the limit and would push out too many others. */
  set(key: string, picture: DecodedImage): void {
    if (this.sizeOf(picture) > this.maxBytes / 4) return;
    const former = this.kept.get(key);
    this.bytes += this.sizeOf(picture) - (former ? this.sizeOf(former) : 0);
    this.kept.delete(key);
    this.kept.set(key, picture);
    for (const [oldest, each] of this.kept) {
      if (this.bytes <= this.maxBytes) return;
      this.kept.delete(oldest);
      this.bytes -= this.sizeOf(each);
    }
  }
}
