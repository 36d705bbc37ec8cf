import type { Body } from '../model/template.js';

/** A template from a file, and sentences about parts that it lacks. */
export interface Imported {
  readonly body: Body;
  readonly notes: readonly string[];
}
