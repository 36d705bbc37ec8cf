import { FirstTables1763690400000 } from './1763690400000-first-tables.js';
import { AppleUpdates1763740800000 } from './1763740800000-apple-updates.js';
import { PushPages1763827200000 } from './1763827200000-push-pages.js';
import { GoogleWallet1763830800000 } from './1763830800000-google-wallet.js';
import { AccountsAndUsage1763913600000 } from './1763913600000-accounts-and-usage.js';
import { UsageCounters1763915400000 } from './1763915400000-usage-counters.js';
import { CountedPasses1763915460000 } from './1763915460000-counted-passes.js';
import { Memberships1763917200000 } from './1763917200000-memberships.js';
import { Privacy1763920800000 } from './1763920800000-privacy.js';
import { ApiKeyTools1763925000000 } from './1763925000000-api-key-tools.js';
import { Webhooks1764000000000 } from './1764000000000-webhooks.js';
import { WebhookEvents1764000060000 } from './1764000060000-webhook-events.js';
import { GoogleMessages1764000120000 } from './1764000120000-google-messages.js';
import { OldWebhookSecrets1764000180000 } from './1764000180000-old-webhook-secrets.js';
import { AccountFounder1764200000000 } from './1764200000000-account-founder.js';
import { StoredImages1764200060000 } from './1764200060000-stored-images.js';
import { Incarnations1764400000000 } from './1764400000000-incarnations.js';
import { PlainPlans1764500000000 } from './1764500000000-plain-plans.js';
import { ReleasedCounters1764500060000 } from './1764500060000-released-counters.js';
import { DeliveriesByKey1764500120000 } from './1764500120000-deliveries-by-key.js';
import { SuspectJobs1764600000000 } from './1764600000000-suspect-jobs.js';
import { AccountDeletion1764700000000 } from './1764700000000-account-deletion.js';
import { EncryptionKeys1764800000000 } from './1764800000000-encryption-keys.js';
import { EncryptedResponses1764800060000 } from './1764800060000-encrypted-responses.js';
import { OpenClaims1764900000000 } from './1764900000000-open-claims.js';
import { KnownAddresses1764910000000 } from './1764910000000-known-addresses.js';
import { EventPartitions1764930000000 } from './1764930000000-event-partitions.js';
import { AuditPartitions1764930060000 } from './1764930060000-audit-partitions.js';
import { OldRows1764930120000 } from './1764930120000-old-rows.js';
import { EncryptedUsers1764940000000 } from './1764940000000-encrypted-users.js';
import { EncryptedPasses1764940060000 } from './1764940060000-encrypted-passes.js';
import { ClearPasses1764940120000 } from './1764940120000-clear-passes.js';
import { ClearUsers1764940180000 } from './1764940180000-clear-users.js';
import { LostKeys1764970000000 } from './1764970000000-lost-keys.js';
import { PassUpdateOrder1765000000000 } from './1765000000000-pass-update-order.js';
import { IdempotencyVacuum1765000060000 } from './1765000060000-idempotency-vacuum.js';
import { EventOrder1765010000000 } from './1765010000000-event-order.js';
import { BeatTimes1765100000000 } from './1765100000000-beat-times.js';
import { MemberUpdates1765100060000 } from './1765100060000-member-updates.js';
import { CircuitBreakers1765110000000 } from './1765110000000-circuit-breakers.js';
import { IndexedUpdateOrder1765120000000 } from './1765120000000-indexed-update-order.js';
import { Claimants1765130000000 } from './1765130000000-claimants.js';
import { EventTimes1765140000000 } from './1765140000000-event-times.js';
import { Actions1765151000000 } from './1765151000000-actions.js';
import { TemplateTranslations1765160000000 } from './1765160000000-template-translations.js';
import { PassTranslations1765161000000 } from './1765161000000-pass-translations.js';
import { GoogleMessagesKept1765170000000 } from './1765170000000-google-messages-kept.js';
import { Messages1765180000000 } from './1765180000000-messages.js';
import { MessageSettings1765181000000 } from './1765181000000-message-settings.js';
import { PassGroups1765200000000 } from './1765200000000-pass-groups.js';
import { PassGroupIndexes1765200060000 } from './1765200060000-pass-group-indexes.js';
import { MessageTranslations1765300000000 } from './1765300000000-message-translations.js';
import { LocalisedImages1765300060000 } from './1765300060000-localised-images.js';
import { MessageOutcomes1765400000000 } from './1765400000000-message-outcomes.js';
import { EndedMessages1765400100000 } from './1765400100000-ended-messages.js';
import { EventsOfMessages1765400200000 } from './1765400200000-events-of-messages.js';
import { LeftGoogleMessages1765400300000 } from './1765400300000-left-google-messages.js';
import { TemplateVersions1765600000000 } from './1765600000000-template-versions.js';
import { AgentPlans1765642000000 } from './1765642000000-agent-plans.js';
import { AgentPlanValues1765643000000 } from './1765643000000-agent-plan-values.js';
import { MessageLimits1765700000000 } from './1765700000000-message-limits.js';
import { MessagesOfDeletedPasses1765700060000 } from './1765700060000-messages-of-deleted-passes.js';
import { UsageByDay1765710000000 } from './1765710000000-usage-by-day.js';
import { FounderByKey1765760000000 } from './1765760000000-founder-by-key.js';
import { TestAccounts1765770000000 } from './1765770000000-test-accounts.js';
import { CappedInstallations1765780000000 } from './1765780000000-capped-installations.js';
import { BillingPeriods1765800000000 } from './1765800000000-billing-periods.js';
import { NodeSettings1765810100000 } from './1765810100000-node-settings.js';
import { MessageLists1765820100000 } from './1765820100000-message-lists.js';

/** The migrations of the schema, oldest first. A team with a TypeORM connection of its own runs them there. */
export const migrations = [
  FirstTables1763690400000,
  AppleUpdates1763740800000,
  PushPages1763827200000,
  GoogleWallet1763830800000,
  AccountsAndUsage1763913600000,
  UsageCounters1763915400000,
  CountedPasses1763915460000,
  Memberships1763917200000,
  Privacy1763920800000,
  ApiKeyTools1763925000000,
  Webhooks1764000000000,
  WebhookEvents1764000060000,
  GoogleMessages1764000120000,
  OldWebhookSecrets1764000180000,
  AccountFounder1764200000000,
  StoredImages1764200060000,
  Incarnations1764400000000,
  PlainPlans1764500000000,
  ReleasedCounters1764500060000,
  DeliveriesByKey1764500120000,
  SuspectJobs1764600000000,
  AccountDeletion1764700000000,
  EncryptionKeys1764800000000,
  EncryptedResponses1764800060000,
  OpenClaims1764900000000,
  KnownAddresses1764910000000,
  EventPartitions1764930000000,
  AuditPartitions1764930060000,
  OldRows1764930120000,
  EncryptedUsers1764940000000,
  EncryptedPasses1764940060000,
  ClearPasses1764940120000,
  ClearUsers1764940180000,
  LostKeys1764970000000,
  PassUpdateOrder1765000000000,
  IdempotencyVacuum1765000060000,
  EventOrder1765010000000,
  BeatTimes1765100000000,
  MemberUpdates1765100060000,
  CircuitBreakers1765110000000,
  IndexedUpdateOrder1765120000000,
  Claimants1765130000000,
  EventTimes1765140000000,
  Actions1765151000000,
  TemplateTranslations1765160000000,
  PassTranslations1765161000000,
  GoogleMessagesKept1765170000000,
  Messages1765180000000,
  MessageSettings1765181000000,
  PassGroups1765200000000,
  PassGroupIndexes1765200060000,
  MessageTranslations1765300000000,
  LocalisedImages1765300060000,
  MessageOutcomes1765400000000,
  EndedMessages1765400100000,
  EventsOfMessages1765400200000,
  LeftGoogleMessages1765400300000,
  TemplateVersions1765600000000,
  AgentPlans1765642000000,
  AgentPlanValues1765643000000,
  MessageLimits1765700000000,
  MessagesOfDeletedPasses1765700060000,
  UsageByDay1765710000000,
  FounderByKey1765760000000,
  TestAccounts1765770000000,
  CappedInstallations1765780000000,
  BillingPeriods1765800000000,
  NodeSettings1765810100000,
  MessageLists1765820100000,
];
