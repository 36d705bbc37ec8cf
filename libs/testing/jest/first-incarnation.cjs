/** Specs of one worker share the product's modules: an incarnation that an earlier spec has begun ends with it. */
require('../../core/src/http/version-name.ts').nameVersionsOf('');
