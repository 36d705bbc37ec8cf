export type * from './generated/api.js';
export type { CodedError, ErrorClass } from './error-classes.js';
export * from './generated/errors.js';
export { operations } from './generated/operations.js';
export { followEvents, type FollowRequest, type WebhookEventPage } from './follow-events.js';
export type { BatchLine, BatchRequest } from './line-batches.js';
export type { Lines } from './line-chunks.js';
export type { ResponseOf, ItemOf, ListOperation, OperationMethods, Page, RequestOf } from './operation-methods.js';
export type { CallOptions, PasswrightOptions, ReceivedResponse, SentRequest } from './options.js';
export {
  ConnectionFailed,
  PasswrightError,
  type PasswrightErrorCode,
  TimedOut,
  UnexpectedResponse,
} from './passwright-error.js';
export {
  type BatchedPass,
  etagOf,
  type ImportedMember,
  Passwright,
  type ResponseMeta,
  responseOf,
} from './passwright.js';
export { type Problems, problemsOf } from './problems.js';
export { randomId } from './random-id.js';
export { csvLine } from './rows/csv-line.js';
export { idTypeProblem, passProblems } from './rows/pass-problems.js';
export {
  cellText,
  type ColumnMapping,
  isPassExport,
  jsonParts,
  matchColumns,
  partGroups,
  passOfLine,
  passOfRow,
  passParts,
  type RowTemplate,
} from './rows/pass-rows.js';
export { toArray } from './to-array.js';
export { InvalidWebhook, verifyWebhook, type WebhookHeaders } from './verify-webhook.js';
export type {
  MemberEventData,
  MessageEventData,
  PassEventData,
  WebhookEvent,
  WebhookEventData,
} from './webhook-events.js';
