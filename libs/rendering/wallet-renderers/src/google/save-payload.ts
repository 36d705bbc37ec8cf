import type { GooglePart, GoogleVertical } from './google-part.js';

/** The maximum length of a save link's JWT. Browsers may cut a longer address, and then the save fails. */
export const maxSaveLinkLength = 1800;

/** The maximum number of references that also name their class; with more the link grows too long. */
const maxWithClass = 3;

/** An object that exists at Google. */
export interface GoogleReference {
  readonly id: string;
  /** Omitted from a link with many objects, because Google finds an object by its own id. */
  readonly classId?: string;
}

/**
 * Builds the content of a save link for existing objects of one or several verticals. It contains only their ids, so
 * the link is short and reveals nothing about a pass.
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

/**
 * Builds the content of a save link with whole classes and objects. It is too long for a browser, so use it only for
 * previews in development.
 */
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
