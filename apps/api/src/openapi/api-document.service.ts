import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { servedFile, type ServedFile } from '../served-file.js';
import type { DocumentTexts } from './document-texts.js';
import { documentYaml } from './document-yaml.js';
import { storedDocument } from './stored-document.js';

interface Made {
  /** The document in which each operation contains its parameters and responses instead of references. */
  readonly document: OpenAPIObject;
  readonly json: ServedFile;
  readonly postman: ServedFile;
  /** Returns the YAML form, created in pieces for the first reader, so that other requests need not wait. */
  yaml(): Promise<ServedFile>;
}

/** Provides the OpenAPI document: the one stored by the build if it exists, or else a new one. */
@Injectable()
export class ApiDocumentService {
  private make: (() => DocumentTexts) | null = null;
  private made: Made | null = null;

  /**
   * Sets the function that creates the document.
   * @param make creates the document of the whole app
   */
  learn(make: () => DocumentTexts): void {
    this.make = make;
  }

  /**
   * Prepares the document before the first request. Reads the stored one, or creates a new one, which takes most of a
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
