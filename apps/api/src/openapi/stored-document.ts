import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentTexts } from './document-texts.js';

/** The placeholder for the base URL of the service in the stored texts. */
export const STORED_BASE_URL = 'https://base-url.invalid';

const folder = join(__dirname, 'stored');
const names = ['document', 'openapi', 'postman'] as const;

/**
 * Writes the texts of the OpenAPI document to files beside the compiled code.
 * @param texts with `STORED_BASE_URL` in place of the service's base URL
 */
export function storeDocument(texts: DocumentTexts, into = folder): void {
  mkdirSync(into, { recursive: true });
  for (const name of names) writeFileSync(join(into, `${name}.json`), texts[name]);
}

/**
 * Returns the stored document with this base URL. Returns null if the service runs from its sources, or if JSON escapes
 * a character of the base URL.
 */
export function storedDocument(baseUrl: string, from = folder): DocumentTexts | null {
  const isStored = names.every((name) => existsSync(join(from, `${name}.json`)));
  if (!isStored || JSON.stringify(baseUrl) !== `"${baseUrl}"`) return null;
  const text = (name: string) => readFileSync(join(from, `${name}.json`), 'utf8');
  return atBaseUrl({ document: text('document'), openapi: text('openapi'), postman: text('postman') }, baseUrl);
}

/**
 * Replaces the placeholder in the texts by this base URL.
 * @param baseUrl contains no character that JSON escapes
 */
export function atBaseUrl({ document, openapi, postman }: DocumentTexts, baseUrl: string): DocumentTexts {
  const replaced = (text: string) => text.replaceAll(STORED_BASE_URL, () => baseUrl);
  return { document: replaced(document), openapi: replaced(openapi), postman: replaced(postman) };
}
