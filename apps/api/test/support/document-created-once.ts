import type { INestApplication } from '@nestjs/common';
import { onceInProcess } from '@passwright/testing';
import { ApiDocumentService } from '../../src/openapi/api-document.service.js';
import { documentTexts } from '../../src/openapi/document-texts.js';
import { openApiDocument } from '../../src/openapi/openapi.js';
import { atBaseUrl, STORED_BASE_URL } from '../../src/openapi/stored-document.js';

/**
 * Gives a service a stored API document, as the build does. Only the first service of the process creates it, because
 * that takes half a second.
 */
export function createDocumentOnce(app: INestApplication, baseUrl: string): void {
  const create = () => documentTexts(openApiDocument(app, STORED_BASE_URL));
  app.get(ApiDocumentService).learn(() => atBaseUrl(onceInProcess('API document', create), baseUrl));
}
