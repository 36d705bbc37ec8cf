import type { GooglePart, GoogleVertical } from './google-part.js';

/** How long a save link's JWT may be: browsers may cut a longer address, and the save fails. */
export const maxSaveLinkLength = 1800;

/** How many references may name their class as well before the link grows too long. */
const maxWithClass = 3;

/** An object that is at Google already. */
export interface GoogleReference {
  readonly id: string;
  /** Left out of a link for many: Google finds an object by its own id. */
  readonly classId?: string;
}

/**
 * What a save link says about objects that are at Google already, of one vertical or several: their ids alone, so that
 * the link is short and shows nothing of a pass.
 */
export function saveReferences(
  objects: readonly { readonly vertical: GoogleVertical; readonly objectId: string; readonly classId: string }[],
): Record<string, GoogleReference[]> {
  const isShort = objects.length <= maxWithClass;
  return grouped(
    objects.map(({ vertical, objectId, classId }) => [
      `${vertical}Objects`,
      { id: objectId, ...(isShort && { classId }) },
    ]),
  );
}

/** What a save link says with the classes and objects inside; too long for a browser, for looking at in development. */
export function saveResources(parts: readonly GooglePart[]): Record<string, object[]> {
  return grouped(
    parts.map(({ vertical, part, body }) => [`${vertical}${part === 'class' ? 'Classes' : 'Objects'}`, body]),
  );
}

function grouped<Item>(entries: readonly (readonly [name: string, item: Item])[]): Record<string, Item[]> {
  const groups: Record<string, Item[]> = {};
  for (const [name, item] of entries) (groups[name] ??= []).push(item);
  return groups;
}
