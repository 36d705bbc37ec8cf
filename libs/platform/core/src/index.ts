export * from './plain.js';
export { withAnySignal } from './any-signal.js';
export { backoff, type BackoffBounds } from './backoff.js';
export { counted, onCounted, type Counted, type Counts } from './counted-events.js';
export { emailForm } from './email-form.js';
export { EncryptedSecrets, type OpenedKey, type OpenedSecret } from './encrypted-secrets.js';
export { ErrorBody, errorBody, errorDocUrl } from './errors/error-body.js';
export { loggedError, type LoggedError } from './errors/logged-error.js';
export { isOutOfResources, isSystemError } from './errors/system-error.js';
export { rateLimitHeaders, type RatePolicy } from './errors/rate-limit-headers.js';
export {
  ApiKeyRequired,
  Forbidden,
  IdempotencyKeyReused,
  Internal,
  NotReady,
  InvalidTransition,
  LimitExceeded,
  MalformedJson,
  MethodNotAllowed,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  RouteNotFound,
  TokenExpired,
  Unauthorized,
  UnsupportedMediaType,
  ValidationFailed,
} from './errors/wire-errors.js';
export {
  ACCESS,
  Public,
  RequireApiKey,
  RequireCaller,
  RequireScope,
  RequireUser,
  type Access,
} from './http/access.decorators.js';
export { AccessWatch, whileAllowed } from './http/access-watch.js';
export { sendParts } from './http/send-parts.js';
export { ApiErrors, declaredErrors } from './http/api-errors.js';
export { bodyValidation } from './http/body-validation.js';
export { developmentSigning, findSigningIdentity } from './http/development-signing.js';
export { DevelopmentSigningGuard } from './http/development-signing.guard.js';
export { onClosed } from './http/on-closed.js';
export { nextUpdate } from './http/next-update.js';
export { decodeCursor, encodeCursor, type Position } from './pagination/cursor.js';
export { ApiPage, jsonSize, PAGE_BYTES, PageQuery, toPage, type Page } from './pagination/page.js';
export { readPage, type PageOf } from './pagination/read-page.js';
export { Caller, scopes, type AuthenticatedRequest, type Principal, type Scope } from './http/principal.js';
export { clientAddress } from './http/client-address.js';
export {
  DateOrDateTime,
  DateTime,
  Flag,
  isDate,
  isDateTime,
  JsonObject,
  ListOf,
  Name,
  rejectedName,
  Nested,
  NumberIn,
  OneOf,
  SomeOf,
  Text,
  TimeZone,
  Untouched,
} from './http/property.decorators.js';
export { propertyPath } from './http/property-path.js';
export { asToolConnection, isFromTool } from './http/tool-connections.js';
export {
  currentShare,
  inRequestOf,
  requestOrigin,
  userAgentOf,
  withoutSlot,
  isBesideOthers,
  withSlot,
  type RequestOrigin,
} from './http/request-origin.js';
export type { Cancellation } from './cancellation.js';
export { RequestSlot } from './http/request-slot.js';
export { SECRET_RESPONSE, SecretResponse } from './http/secret-response.js';
export {
  IfMatchTags,
  requireSettingsMatch,
  settingsTag,
  isTagged,
  MustBeNew,
  namesTag,
  parseTags,
  requireMatch,
  Tagged,
  type IfMatch,
} from './http/entity-tag.js';
export { createBodylessParameter, isBodyless } from './http/bodyless-parameter.js';
export { BODY_BYTES, TakesBytes } from './http/raw-body.decorator.js';
export { nameVersionsOf, versionSuffix } from './http/version-suffix.js';
export { accountOfPart, accountPart, callerChosenId, newId, randomId } from './ids.js';
export { Listeners, Listens, type ListenerClass, type ProviderDiscovery } from './listeners.js';
export { ApplePush, type PushResult, type PushOutcome } from './providers/apple-push.js';
export { BlobStorage, type OpenBlob, StorageUnavailable } from './providers/blob-storage.js';
export { ClockModule } from './providers/clock.module.js';
export {
  AccountServiceAccounts,
  GoogleQuota,
  GoogleWallet,
  type FoundMessage,
  type GoogleResult,
  type GoogleCallback,
  type GoogleIdentity,
  type GoogleLocalizedText,
  type GoogleMessage,
  type GoogleMessageOutcome,
  type GoogleOutcome,
  type GoogleResource,
  type GoogleServiceAccount,
  type GoogleUrgency,
  type GoogleVertical,
  type MessageToAdd,
  type SaveLinkPayload,
} from './providers/google-wallet.js';
export { TestAccounts } from './providers/test-accounts.js';
export { Mailer, MailRejected, type Mail } from './providers/mailer.js';
export {
  PaymentEventRejected,
  PaymentProvider,
  subscriptionPeriods,
  subscriptionStatuses,
  type PaymentEvent,
  type SubscriptionPeriod,
  type SubscriptionStatus,
  type ReportedSubscription,
} from './providers/payment-provider.js';
export { rootModule, type RootModuleAsyncOptions } from './root-module.js';
export { accessRuleOf, requireAccess, type CallerAccess } from './routes/access-rule.js';
export { attributeRequest, givenPrincipal } from './routes/given-principal.js';
export { RouteAuthentication, RouteConventions } from './routes/route-conventions.js';
export { isPasswrightRoute, WireConventions, withPasswrightRoutes } from './routes/wire-conventions.js';
export { Scheduled, scheduleOf, type Schedule } from './scheduled.decorator.js';
export { DecryptionFailed, SecretBox, UnknownMasterKey, type MasterKey, type SecretContext } from './secret-box.js';
export { keyIdSql, StoredSecretsListener, type SecretColumn } from './stored-secrets.listener.js';
export { currentTrace, inCurrentTrace, inHttpSpan, inSpan, inTraceOf, linkTrace, tracePass } from './tracing.js';
export { within } from './within.js';
