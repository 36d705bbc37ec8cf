/** A task that waits for a slot. */
export interface Waiting {
  readonly start: () => void;
  readonly reject: (reason: Error) => void;
}

/** The waiting tasks of one key. */
export class Lane {
  /** The time at which a task of this lane last got a slot. */
  startedAt = -Infinity;
  /** Started tasks that gave their slot back during a wait and now need a slot again. */
  private readonly returning = new Set<Waiting>();
  private readonly fresh = new Set<Waiting>();

  get size(): number {
    return this.returning.size + this.fresh.size;
  }

  get next(): Waiting | undefined {
    const [next] = this.returning.size > 0 ? this.returning : this.fresh;
    return next;
  }

  get last(): Waiting | undefined {
    return [...this.returning, ...this.fresh].at(-1);
  }

  add(entry: Waiting, isReturning: boolean): void {
    (isReturning ? this.returning : this.fresh).add(entry);
  }

  delete(entry: Waiting): boolean {
    return this.returning.delete(entry) || this.fresh.delete(entry);
  }
}
