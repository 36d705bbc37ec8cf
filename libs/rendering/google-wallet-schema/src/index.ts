export { googleAnswer, googleEnumAlias, googleProperties } from './answers.js';
export { googleSchemaRevision } from './discovery.js';
export { googleFaults, isGoogleId } from './faults.js';
export type { GooglePartName, GoogleVertical } from './names.js';
