/**
 * Resets the database incarnation in entity tags before each spec file, because spec files of one worker share the
 * product's modules.
 */
require('../../platform/core/src/http/version-name.ts').nameVersionsOf('');
