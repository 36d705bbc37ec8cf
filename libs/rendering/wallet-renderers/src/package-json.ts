/**
 * The content of package.json. Its version identifies the release of this package and of the drawing libraries.
 * Bundlers recognise a `require` with a literal path and include the file.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would have to be below `src`
export const packageJson = require('../package.json') as object;
