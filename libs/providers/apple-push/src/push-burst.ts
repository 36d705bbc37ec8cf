import type { PushAnswer } from '@passwright/core';

/** Pushes that were asked for together. A promise for each of them would cost as much as the rest of its way to the network. */
export class PushBurst {
  /** In the order of the pushes, once all are answered. */
  readonly answers: Promise<readonly (PushAnswer | null)[]>;
  /** Whether the push service has refused the sender: what was not sent by then is not. */
  refused = false;
  private readonly soFar: (PushAnswer | null)[];
  private resolve: (answers: readonly (PushAnswer | null)[]) => void = () => undefined;

  /** @param open how many pushes it has */
  constructor(private open: number) {
    this.soFar = new Array<PushAnswer | null>(open).fill(null);
    this.answers = open === 0 ? Promise.resolve([]) : new Promise((resolve) => (this.resolve = resolve));
  }

  /** To be called once for each of its pushes. */
  answered(index: number, answer: PushAnswer | null): void {
    this.soFar[index] = answer;
    this.refused ||= answer?.outcome === 'halted';
    this.open -= 1;
    if (this.open === 0) this.resolve(this.soFar);
  }
}
