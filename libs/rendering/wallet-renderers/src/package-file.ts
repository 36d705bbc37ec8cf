/**
 * The package file, which identifies the release of what is drawn and of the libraries that draw. Bundlers include it,
 * because they recognise this form of `require`.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would have to be below `src`
export const packageFile = require('../package.json') as object;
