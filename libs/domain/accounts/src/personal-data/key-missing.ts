import { NotReady } from '@passwright/core';

/** 503: the record's key is missing, so the record cannot be read and must not be overwritten. */
export class KeyMissing extends NotReady {
  constructor() {
    super('Personal data that this changes cannot be read: its key is missing from the database.');
  }
}
