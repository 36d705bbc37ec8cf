import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { dump } from 'js-yaml';
import { servedFile, type ServedFile } from '../served-file.js';

interface Made {
  readonly document: OpenAPIObject;
  readonly json: ServedFile;
  readonly yaml: ServedFile;
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
  return {
    document,
    json: servedFile('application/json; charset=utf-8', JSON.stringify(document)),
    yaml: servedFile('text/yaml; charset=utf-8', dump(document, { skipInvalid: true, noRefs: true })),
  };
}
