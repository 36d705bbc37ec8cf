import type { PushResult } from '@passwright/core';

/** The pushes of one call, which share one promise, because a promise for each push would double the cost. */
export class PushBurst {
  /** The results in the order of the pushes, once all pushes have ended. */
  readonly results: Promise<readonly (PushResult | null)[]>;
  /** True once the push service has rejected the sender. Unsent pushes are then skipped. */
  rejected = false;
  private readonly soFar: (PushResult | null)[];
  private resolve: (results: readonly (PushResult | null)[]) => void = () => undefined;

  /** @param open the number of pushes */
  constructor(private open: number) {
    this.soFar = new Array<PushResult | null>(open).fill(null);
    this.results = open === 0 ? Promise.resolve([]) : new Promise((resolve) => (this.resolve = resolve));
  }

  /** Records a result. Called once for each push. */
  responded(index: number, result: PushResult | null): void {
    this.soFar[index] = result;
    this.rejected ||= result?.outcome === 'credential_rejected';
    this.open -= 1;
    if (this.open === 0) this.resolve(this.soFar);
  }
}
