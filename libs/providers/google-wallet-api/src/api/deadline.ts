/** The deadline has passed. */
export class OutOfTime extends Error {
  constructor() {
    super('time ran out');
  }
}

/** A deadline shared by several steps. */
export class Deadline {
  private readonly end: number;

  constructor(ms: number) {
    this.end = performance.now() + ms;
  }

  get leftMs(): number {
    return Math.max(0, this.end - performance.now());
  }

  /** Waits for `promise` until the deadline, without cancelling it. @throws OutOfTime */
  async within<T>(promise: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new OutOfTime()), this.leftMs);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
