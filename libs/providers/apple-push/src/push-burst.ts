import type { PushAnswer } from '@passwright/core';

/** The pushes of one call. A promise for each push would cost as much as everything else that sends it. */
export class PushBurst {
  /** The results in the order of the pushes, once all have ended. */
  readonly answers: Promise<readonly (PushAnswer | null)[]>;
  /** True once the push service has rejected the sender. Pushes not sent by then are skipped. */
  refused = false;
  private readonly soFar: (PushAnswer | null)[];
  private resolve: (answers: readonly (PushAnswer | null)[]) => void = () => undefined;

  /** @param open the number of pushes */
  constructor(private open: number) {
    this.soFar = new Array<PushAnswer | null>(open).fill(null);
    this.answers = open === 0 ? Promise.resolve([]) : new Promise((resolve) => (this.resolve = resolve));
  }

  /** Records a result. Called once for each push. */
  answered(index: number, answer: PushAnswer | null): void {
    this.soFar[index] = answer;
    this.refused ||= answer?.outcome === 'halted';
    this.open -= 1;
    if (this.open === 0) this.resolve(this.soFar);
  }
}
