import type { OpenAPIObject } from '@nestjs/swagger';
import { withNamedSchemas } from './named-schemas.js';
import { asOpenApi31 } from './open-api-31.js';
import { postmanCollection } from './postman/postman-collection.js';
import { withSharedParts } from './shared-parts.js';
import { addWebhooks } from './webhooks.js';

/** The forms of the OpenAPI document, as JSON. */
export interface DocumentTexts {
  /** The document in which each operation contains its parameters and responses instead of references. */
  readonly document: string;
  /** The document as it is served. */
  readonly openapi: string;
  /** The Postman collection of the document. */
  readonly postman: string;
}

export function documentTexts(document: OpenAPIObject): DocumentTexts {
  const served = asOpenApi31(addWebhooks(withSharedParts(withNamedSchemas(document))));
  return {
    document: JSON.stringify(document),
    openapi: JSON.stringify(served),
    postman: JSON.stringify(postmanCollection(document)),
  };
}
