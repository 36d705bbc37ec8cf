import { isDeepStrictEqual } from 'node:util';
import type { RenderTemplate } from '@passwright/wallet-renderers';

/** The columns of a template that determine the front of its passes. */
export type TemplateFront = Pick<
  RenderTemplate,
  'title' | 'fields' | 'startDate' | 'startDay' | 'location' | 'locations' | 'primaryLabel'
>;

export function frontOf(template: TemplateFront): TemplateFront {
  const { title, fields, startDate, startDay, location, locations, primaryLabel } = template;
  return { title, fields, startDate, startDay, location, locations, primaryLabel };
}

/** Returns true if two templates give their passes the same front. */
export function sameFront(a: TemplateFront, b: TemplateFront): boolean {
  const stored = (template: TemplateFront): unknown => JSON.parse(JSON.stringify(frontOf(template)));
  return isDeepStrictEqual(stored(a), stored(b));
}

/** Returns a front with the types of the entity. @param stored the front as read from a JSON column */
export function readFront(stored: TemplateFront): TemplateFront {
  return { ...stored, startDate: stored.startDate ? new Date(stored.startDate) : null };
}
