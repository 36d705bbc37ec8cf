import { NotReady } from '@passwright/core';

/** 503: no master key of this node decrypts the key of an account's personal data. Only the log names the cause. */
export class KeyUnusable extends NotReady {
  /** @param owner an account id, or `users` */
  constructor(owner: string, { message }: Error) {
    super('This node cannot read personal data just now. Try again; the log of the node says why.');
    this.cause = new Error(`The key of the personal data of ${owner} cannot be used, check MASTER_KEYS: ${message}`);
  }
}
