import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { servedFile, type ServedFile } from '../served-file.js';
import type { DocumentTexts } from './document-texts.js';
import { documentYaml } from './document-yaml.js';
import { storedDocument } from './stored-document.js';

interface Made {
  /** The document in which operations contain their parameters and responses instead of references to shared ones. */
  readonly document: OpenAPIObject;
  readonly json: ServedFile;
  readonly postman: ServedFile;
  /** Writes the YAML form for the first reader, in pieces, because that takes a while. */
  yaml(): Promise<ServedFile>;
}

/** Provides the OpenAPI document: the one that the build has stored or, without such a file, a newly created one. */
@Injectable()
export class ApiDocumentService {
  private make: (() => DocumentTexts) | null = null;
  private made: Made | null = null;

  /** Sets how to create the document. @param make creates it for the whole app, once the app exists */
  learn(make: () => DocumentTexts): void {
    this.make = make;
  }

  /**
   * Gets the document ready before the first request: reads that of the build, or creates one, which takes a good part
   * of a second.
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
