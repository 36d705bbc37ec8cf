/** Specs of one worker share the product's modules: an incarnation that an earlier spec has begun ends with it. */
require('../../platform/core/src/http/version-name.ts').nameVersionsOf('');
