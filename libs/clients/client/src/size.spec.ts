import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const MOST_BYTES = 5200;

/** Bundles and minifies a program for browsers. */
async function bundled(contents: string): Promise<string> {
  const result = await build({
    stdin: { contents, resolveDir: __dirname },
    ...{ bundle: true, minify: true, write: false, format: 'esm' as const, target: 'es2023' },
    tsconfigRaw: {},
    absWorkingDir: join(__dirname, '..'),
  });
  return result.outputFiles[0]?.text ?? '';
}

it(`a bundle with only the client has at most ${MOST_BYTES} bytes, minified and compressed`, async () => {
  const bundle = await bundled("export { Passwright } from './index.js'");
  expect(bundle).toContain('/v1/templates/{templateId}');
  expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES);
});

it('a bundle has only the error classes that the program imports', async () => {
  const bundle = await bundled("export { Passwright, PassExists } from './index.js'");
  expect(bundle).toContain('pass_exists');
  expect(bundle).not.toContain('template_in_use');
});
