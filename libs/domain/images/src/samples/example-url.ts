import type { ImagePurpose } from '../variants/prepared-image.js';

/** The base URL in the examples of the OpenAPI document. */
export const exampleBaseUrl = 'http://localhost:3000';

/** The address of a picture that the service itself has, for examples that work when pasted. */
export function sampleUrl(purpose: ImagePurpose): string {
  return `${exampleBaseUrl}/images/samples/${purpose}.png`;
}

/** The OpenAPI document with the examples' image URLs below the app's own base URL, where they exist. */
export function withBaseUrl<Document extends object>(document: Document, baseUrl: string): Document {
  const from = JSON.stringify(`${exampleBaseUrl}/images/`).slice(1, -1);
  const to = JSON.stringify(`${baseUrl}/images/`).slice(1, -1);
  return JSON.parse(JSON.stringify(document).replaceAll(from, to)) as Document;
}
