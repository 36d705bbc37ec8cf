import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { dump } from 'js-yaml';
import { servedFile, type ServedFile } from '../served-file.js';
import { withNamedSchemas } from './named-schemas.js';
import { asOpenApi31 } from './open-api-31.js';
import { postmanCollection } from './postman/postman-collection.js';
import { withSharedParts } from './shared-parts.js';
import { addWebhooks } from './webhooks.js';

interface Made {
  /** The document in which operations contain their parameters and responses instead of references to shared ones. */
  readonly document: OpenAPIObject;
  readonly json: ServedFile;
  readonly yaml: ServedFile;
  readonly postman: ServedFile;
}

/** Creates the OpenAPI document only once, because that takes a good part of a second. */
@Injectable()
export class ApiDocumentService {
  private make: (() => OpenAPIObject) | null = null;
  private made: Made | null = null;

  /** Sets how to create the document. @param make creates it for the whole app, once the app exists */
  learn(make: () => OpenAPIObject): void {
    this.make = make;
  }

  get(): Made {
    if (!this.make) throw new Error('ApiDocumentService was not told how to create the document');
    return (this.made ??= files(this.make()));
  }
}

function files(document: OpenAPIObject): Made {
  const served = asOpenApi31(addWebhooks(withSharedParts(withNamedSchemas(document))));
  return {
    document,
    json: servedFile('application/json; charset=utf-8', JSON.stringify(served)),
    yaml: servedFile('text/yaml; charset=utf-8', dump(served, { skipInvalid: true, noRefs: true })),
    postman: servedFile('application/json; charset=utf-8', JSON.stringify(postmanCollection(document))),
  };
}
