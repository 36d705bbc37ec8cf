import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { documentYaml } from './document-yaml.js';

const text = readFileSync(join(__dirname, '../../../../docs/openapi.json'), 'utf8');

// Test several addresses, because long lines are folded and their length depends on the address.
it.each([
  'http://localhost:3000',
  'https://passes.example.com/a/path/of/this/length',
  `https://${'x'.repeat(200)}.example`,
])('documentYaml with the base URL %s returns the same text as one dump of the document', async (baseUrl) => {
  const document = JSON.parse(text.replaceAll('http://localhost:3000', baseUrl)) as Record<string, unknown>;
  const isWhole = (await documentYaml(document)) === dump(document, { skipInvalid: true, noRefs: true });
  expect(isWhole).toBe(true);
});

it('documentYaml returns the same text as one dump of a small document with empty parts', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'A' },
    paths: {},
    components: { schemas: {}, x: ['a'] },
    tags: [],
  };
  expect(await documentYaml(document)).toBe(dump(document));
});
