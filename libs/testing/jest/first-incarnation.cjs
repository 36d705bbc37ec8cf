/**
 * Resets the part of entity tags that identifies the database before each spec file, because spec files of one worker
 * share modules but not databases.
 */
require('../../platform/core/src/http/version-suffix.ts').nameVersionsOf('');
