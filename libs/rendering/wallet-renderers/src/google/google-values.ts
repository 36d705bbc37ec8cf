import type { RenderLocation } from '../model.js';

/** Returns true for a blank text. Google rejects an empty text and shows other blank texts as an empty line. */
export function isBlank(text: string | null | undefined): boolean {
  return !text || text.trim() === '';
}

/** Returns the first text that is not blank, for properties that Google requires. */
export function firstText(...texts: readonly (string | null | undefined)[]): string {
  return texts.find((text) => !isBlank(text)) ?? '-';
}

/** Wraps a text in one language in the form that Google expects. */
export function localized(value: string, language: string): object {
  return { defaultValue: { language, value } };
}

/** Returns an image under the property `name`, or nothing if there is no address. */
export function image(name: string, url: string | null | undefined, description: string, language: string): object {
  if (!url) return {};
  const contentDescription = isBlank(description) ? {} : { contentDescription: localized(description, language) };
  return { [name]: { sourceUri: { uri: url }, ...contentDescription } };
}

/** Returns the coordinates near which Google shows a pass. */
export function merchantLocations(locations: readonly RenderLocation[]): object {
  if (locations.length === 0) return {};
  return { merchantLocations: locations.map(({ latitude, longitude }) => ({ latitude, longitude })) };
}
