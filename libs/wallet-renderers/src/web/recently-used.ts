/** Keeps what is costly to make, up to a total weight; the least recently used goes first. */
export class RecentlyUsed<Value> {
  private readonly kept = new Map<string, Value>();
  private weight = 0;

  constructor(
    private readonly maxWeight: number,
    private readonly weigh: (value: Value) => number = () => 1,
  ) {}

  /** What was made for `key` before, else what `make` makes now. What alone is too heavy is not kept. */
  get(key: string, make: () => Value): Value {
    const known = this.kept.get(key);
    if (known !== undefined) {
      // Into the last place of the map's order.
      this.kept.delete(key);
      this.kept.set(key, known);
      return known;
    }
    const made = make();
    this.kept.set(key, made);
    this.weight += this.weigh(made);
    this.shed();
    return made;
  }

  private shed(): void {
    for (const [key, value] of this.kept) {
      if (this.weight <= this.maxWeight) return;
      this.kept.delete(key);
      this.weight -= this.weigh(value);
    }
  }
}
