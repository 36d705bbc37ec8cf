import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { servedFile, type ServedFile } from '../served-file.js';
import type { DocumentTexts } from './document-texts.js';
import { documentYaml } from './document-yaml.js';
import { storedDocument } from './stored-document.js';

interface Made {
  /** The document with parameters and responses written out in each operation instead of shared by reference. */
  readonly document: OpenAPIObject;
  readonly json: ServedFile;
  readonly postman: ServedFile;
  /** Returns the YAML form. Creates it in pieces for the first reader, so that other requests need not wait. */
  yaml(): Promise<ServedFile>;
}

/** Provides the OpenAPI document: the stored one from the build if there is one, else a newly created one. */
@Injectable()
export class ApiDocumentService {
  private make: (() => DocumentTexts) | null = null;
  private made: Made | null = null;

  /**
   * Sets the function that creates the document.
   * @param make creates the document for the whole app, once the app exists
   */
  learn(make: () => DocumentTexts): void {
    this.make = make;
  }

  /**
   * Gets the document ready before the first request. Reads the stored one, or creates a new one, which takes most of a
   * second.
   */
  prepare(baseUrl: string): void {
    const stored = storedDocument(baseUrl);
    if (stored) this.made = made(stored);
    else this.get();
  }

  /** Returns the document. Creates it if it is not ready. */
  get(): Made {
    if (this.made) return this.made;
    if (!this.make) throw new Error('ApiDocumentService was not told how to create the document');
    return (this.made = made(this.make()));
  }
}

function made({ document, openapi, postman }: DocumentTexts): Made {
  let yaml: Promise<ServedFile> | undefined;
  const writeYaml = async () =>
    servedFile('text/yaml; charset=utf-8', await documentYaml(JSON.parse(openapi) as Record<string, unknown>));
  return {
    document: JSON.parse(document) as OpenAPIObject,
    json: servedFile('application/json; charset=utf-8', openapi),
    postman: servedFile('application/json; charset=utf-8', postman),
    yaml: () => (yaml ??= writeYaml()),
  };
}
