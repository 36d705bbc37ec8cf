import type { RenderLocation } from '../model.js';

/** Google refuses empty texts; blank ones would leave an empty line. */
export function isBlank(text: string | null | undefined): boolean {
  return !text || text.trim() === '';
}

/** The first text that says something, for properties that Google requires. */
export function firstText(...texts: readonly (string | null | undefined)[]): string {
  return texts.find((text) => !isBlank(text)) ?? '-';
}

/** A text in the one language that our texts are in. */
export function localized(value: string, language: string): object {
  return { defaultValue: { language, value } };
}

/** An image by its address, under the property `name`; nothing without an address. */
export function image(name: string, url: string | null | undefined, description: string, language: string): object {
  if (!url) return {};
  const contentDescription = isBlank(description) ? {} : { contentDescription: localized(description, language) };
  return { [name]: { sourceUri: { uri: url }, ...contentDescription } };
}

/** Places near which Google brings up a pass; it takes their coordinates only. */
export function merchantLocations(locations: readonly RenderLocation[]): object {
  if (locations.length === 0) return {};
  return { merchantLocations: locations.map(({ latitude, longitude }) => ({ latitude, longitude })) };
}
