import type { Body } from '../model/template.js';

/** A template from a file, and sentences about what it does not contain. */
export interface Imported {
  readonly body: Body;
  readonly notes: readonly string[];
}
