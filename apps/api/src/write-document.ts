import 'reflect-metadata';
import { describedApp } from './described-app.js';
import { documentTexts } from './openapi/document-texts.js';
import { openApiDocument } from './openapi/openapi.js';
import { storeDocument, STORED_BASE_URL } from './openapi/stored-document.js';

/** Stores the API document. The last step of the build runs this. */
async function main(): Promise<void> {
  storeDocument(documentTexts(openApiDocument(await describedApp(), STORED_BASE_URL)));
}

void main();
