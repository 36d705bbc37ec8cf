import type { ImagePurpose } from '../variants/prepared-image.js';

/** The base URL in the examples of the OpenAPI document. */
export const exampleBaseUrl = 'http://localhost:3000';

/** Returns the address of a sample image, for examples that work without changes. */
export function sampleUrl(purpose: ImagePurpose): string {
  return `${exampleBaseUrl}/images/samples/${purpose}.png`;
}

/** Puts the app's own base URL into the image URLs of the OpenAPI document's examples, so that the images exist. */
export function withBaseUrl<Document extends object>(document: Document, baseUrl: string): Document {
  const from = JSON.stringify(`${exampleBaseUrl}/images/`).slice(1, -1);
  const to = JSON.stringify(`${baseUrl}/images/`).slice(1, -1);
  return JSON.parse(JSON.stringify(document).replaceAll(from, to)) as Document;
}
