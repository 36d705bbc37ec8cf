/** Shares each run of the work among all callers that ask before the run begins. */
export class SharedRun<T> {
  private next: Promise<T> | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly work: () => Promise<T>) {}

  /** Returns the result of a run that begins after this call. */
  run(): Promise<T> {
    if (this.next) return this.next;
    const next = this.last.then(() => {
      this.next = null;
      return this.work();
    });
    this.next = next;
    this.last = next.catch(() => undefined);
    return next;
  }
}
