import { NotReady } from '@passwright/core';

/** Answers a change of a record that nobody can read, so that it is not overwritten. */
export class KeyMissing extends NotReady {
  constructor() {
    super('Personal data that this changes cannot be read: its key is missing from the database.');
  }
}
