export { googleResponse, googleEnumAlias, googleProperties } from './responses.js';
export { googleSchemaRevision } from './discovery.js';
export { googleProblems, isGoogleId } from './problems.js';
export type { GooglePartName, GoogleVertical } from './names.js';
