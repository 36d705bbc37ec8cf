/**
 * The package file. It identifies the release of this package and of the libraries with which it draws. Bundlers
 * include the file, because they recognise this form of `require`.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would have to be below `src`
export const packageFile = require('../package.json') as object;
