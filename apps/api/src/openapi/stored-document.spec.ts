import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeDocument, STORED_BASE_URL, storedDocument } from './stored-document.js';

const texts = {
  document: `{"servers":[{"url":"${STORED_BASE_URL}"}]}`,
  openapi: `{"icon":"${STORED_BASE_URL}/images/samples/icon.png"}`,
  postman: `{"raw":"{\\"icon\\":\\"${STORED_BASE_URL}/images/samples/icon.png\\"}"}`,
};
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'passwright document '));
  storeDocument(texts, join(folder, 'stored'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('the base URL of the service replaces that of the stored document', () => {
  // Use `$&`, which `replaceAll` would treat as a placeholder.
  const baseUrl = 'https://passes.example.com/$&';
  expect(storedDocument(baseUrl, join(folder, 'stored'))).toEqual({
    document: `{"servers":[{"url":"${baseUrl}"}]}`,
    openapi: `{"icon":"${baseUrl}/images/samples/icon.png"}`,
    postman: `{"raw":"{\\"icon\\":\\"${baseUrl}/images/samples/icon.png\\"}"}`,
  });
});

it('a service that runs from its sources has no stored document', () => {
  expect(storedDocument('https://passes.example.com')).toBeNull();
});

it.each(['https://passes.example.com/a"b', 'https://passes.example.com\\b'])(
  'the service does not use the stored document for the base URL %s, because JSON escapes its characters',
  (baseUrl) => expect(storedDocument(baseUrl, join(folder, 'stored'))).toBeNull(),
);
