export { MediaTypeGuard } from './request/media-type.guard.js';
export { AppErrorFilter } from './errors/app-error.filter.js';
export { unexpected } from './errors/framework-errors.js';
export { rejectMalformedHttp } from './errors/malformed-http.js';
export { FairShareGuard } from './fair-share/fair-share.guard.js';
export { applyHttpConventions } from './http-conventions.js';
export { HttpModule } from './http.module.js';
export { HttpOptions, type StoredResponseOptions } from './http.options.js';
export { IdempotencyKey } from './idempotency/idempotency-key.entity.js';
export { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
export { StoredResponseEncryptionService } from './idempotency/stored-response-encryption.service.js';
export {
  StoredResponseErasureRepository,
  type ResponseSubject,
} from './idempotency/stored-response-erasure.repository.js';
export {
  IdempotencyRepository,
  type StoredResult,
  type RequestIdentity,
  type StoredResponse,
} from './idempotency/idempotency.repository.js';
export { sendLines, type LineResult } from './lines/send-lines.js';
export { ndjsonLines, type Line } from './lines/ndjson-lines.js';
export { requirePlainText } from './lines/plain-text.js';
export { hostOf, isHostAllowed, isPlainlyPrivate, isWebPort } from './outbound/allowed-hosts.js';
export { addressesOf } from './outbound/host-addresses.js';
export { isPublicAddress } from './outbound/public-address.js';
export {
  networkError,
  NoPublicAddress,
  NodeExhausted,
  NoWebPort,
  PublicAgent,
  type OutboundRequest,
  type OutboundResponse,
  type PublicAgentOptions,
} from './outbound/public-agent.js';
export { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
export { BodyBudget } from './request/body-budget.js';
export { BodyService } from './request/body.service.js';
export { rejectedContent, rejectedText } from './request/rejected-content.js';
export { ConnectionDrainService } from './request/connection-drain.service.js';
export { requestId, type IdentifiedRequest } from './request/request-id.js';
export { REQUESTS_STOP_MS } from './request/request-timeouts.js';
export { allowedMethods } from './request/route-table.js';
export { securityHeaders } from './request/security-headers.js';
