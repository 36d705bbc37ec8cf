/** Keeps pictures up to a total size; the one that was not asked for the longest goes first. */
export class KeptPictures {
  private readonly kept = new Map<string, Buffer>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): Buffer | undefined {
    const picture = this.kept.get(key);
    if (!picture) return undefined;
    // Into the last place of the map's order.
    this.kept.delete(key);
    this.kept.set(key, picture);
    return picture;
  }

  /** One that is larger than a quarter of the room is not kept: it would cost all others theirs. */
  set(key: string, picture: Buffer): void {
    if (picture.length > this.maxBytes / 4) return;
    this.bytes += picture.length - (this.kept.get(key)?.length ?? 0);
    this.kept.delete(key);
    this.kept.set(key, picture);
    for (const [oldest, { length }] of this.kept) {
      if (this.bytes <= this.maxBytes) return;
      this.kept.delete(oldest);
      this.bytes -= length;
    }
  }
}
