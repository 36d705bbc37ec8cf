/**
 * Resets the part of entity tags that identifies the database, before each spec file. Spec files of one worker share
 * the product's modules, but not the database.
 */
require('../../platform/core/src/http/version-name.ts').nameVersionsOf('');
