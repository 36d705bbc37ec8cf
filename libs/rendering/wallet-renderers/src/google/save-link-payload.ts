import type { GooglePart, GoogleVertical } from './google-part.js';

/** The maximum length of a save link's JWT. Browsers may cut a longer address, and then the save fails. */
export const maxSaveLinkLength = 1800;

/** The maximum number of references in a link that also names their classes. More would make the link too long. */
const maxWithClass = 3;

/** An object that exists at Google. */
export interface GoogleReference {
  readonly id: string;
  /** Omitted from a link with many objects, because Google finds an object by its own id. */
  readonly classId?: string;
}

/**
 * Builds the content of a save link for objects that already exist at Google. It contains only their ids, so the link
 * is short and reveals nothing about a pass.
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
 * Builds the content of a save link with whole classes and objects, for previews in development. A link can omit the
 * layout of the fields, which has about 600 characters. Google then shows the same fields in its own order.
 */
export function saveResources(
  parts: readonly GooglePart[],
  { layout = true }: { readonly layout?: boolean } = {},
): Record<string, object[]> {
  return grouped(
    parts.map(({ vertical, part, body }) => {
      if (part === 'object') return [`${vertical}Objects`, body];
      return [`${vertical}Classes`, layout ? body : withoutLayout(body)];
    }),
  );
}

function withoutLayout(body: GooglePart['body']): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'classTemplateInfo'));
}

function grouped<Item>(entries: readonly (readonly [name: string, item: Item])[]): Record<string, Item[]> {
  const groups: Record<string, Item[]> = {};
  for (const [name, item] of entries) (groups[name] ??= []).push(item);
  return groups;
}
