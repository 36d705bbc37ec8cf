/** Time has run out. */
export class OutOfTime extends Error {
  constructor() {
    super('time ran out');
  }
}

/** What several steps may take together. */
export class Deadline {
  private readonly end: number;

  constructor(ms: number) {
    this.end = performance.now() + ms;
  }

  get leftMs(): number {
    return Math.max(0, this.end - performance.now());
  }

  /** As `promise`, which goes on by itself when time runs out. @throws OutOfTime */
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
