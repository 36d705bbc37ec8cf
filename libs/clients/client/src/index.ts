export type * from './generated/api.js';
export * from './generated/errors.js';
export type { BatchLine, BatchRequest } from './line-batches.js';
export type { Lines } from './line-chunks.js';
export type { ResponseOf, ItemOf, ListOperation, OperationMethods, Page, RequestOf } from './operation-methods.js';
export type { CallOptions, PasswrightOptions } from './options.js';
export {
  ConnectionFailed,
  PasswrightError,
  type PasswrightErrorCode,
  TimedOut,
  UnexpectedResponse,
} from './passwright-error.js';
export { type BatchedPass, etagOf, type ImportedMember, Passwright } from './passwright.js';
