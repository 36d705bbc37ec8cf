export { AccountsModule } from './accounts.module.js';
export { SelfServiceModule } from './self-service.module.js';
export { SelfServiceOptions } from './self-service.options.js';
export { AccountsOptions, type PersonalDataOptions } from './accounts.options.js';
export { defaultAttemptLimits, type AttemptLimit, type AttemptLimits } from './attempt-limits.js';
export { AccountDirectory, type ListedAccount } from './accounts/account-directory.repository.js';
export { AccountMember } from './accounts/account-member.entity.js';
export { Account } from './accounts/account.entity.js';
export { AccountAdmins, type Admin } from './accounts/account-admins.repository.js';
export { AccountMembersService } from './accounts/account-members.service.js';
export { BillingResponse, EnterpriseConfigResponse, SubscriptionResponse } from './overview/account-billing.dto.js';
export { AccountOverviewListener, type AccountOverviewParts } from './overview/account-overview.listener.js';
export { AccountOverviewService } from './overview/account-overview.service.js';
export { AccountMemberResponse } from './accounts/account-member.dto.js';
export { AccountResponse, AccountStorageResponse, AccountUsageResponse } from './overview/account.dto.js';
export { everyAccountSql } from './accounts/accounts.repository.js';
export { AccountsService } from './accounts/accounts.service.js';
export {
  AccountData,
  type AccountDataPart,
  type AccountTable,
  type AccountWork,
  type Pause,
} from './deletion/account-data.service.js';
export { AccountDeletion } from './accounts/account-deletion.entity.js';
export { AccountDeletionService } from './deletion/account-deletion.service.js';
export { AgentPlanDetails, AgentPlanResponse } from './agent-plans/agent-plan.dto.js';
export { lockPlansOfPass } from './agent-plans/agent-plan-locks.js';
export { AgentPlan, type PlannedChanges, type PlanSummary } from './agent-plans/agent-plan.entity.js';
export { type PlannedCall, type ShownPlan } from './agent-plans/agent-plans.repository.js';
export { AgentPlansService } from './agent-plans/agent-plans.service.js';
export { AgentTools } from './api-keys/agent-tools.service.js';
export { ApiKeyResponse, ApiKeyWithSecretResponse, NewApiKeyRequest } from './api-keys/api-key.dto.js';
export { ApiKey } from './api-keys/api-key.entity.js';
export { ApiKeyNotFound } from './api-keys/api-keys.errors.js';
export { ApiKeysService } from './api-keys/api-keys.service.js';
export { AuditEvent } from './audit/audit-event.entity.js';
export { AuditLog, type AuditEntry } from './audit/audit-log.service.js';
export { changesBetween, type Changes } from './audit/changes-between.js';
export { Attempts } from './attempts/attempts.js';
export { AuthGuard } from './auth/auth.guard.js';
export { IdentityProvider, type ProvenIdentity } from './oidc/identity-provider.service.js';
export { OidcModule } from './oidc/oidc.module.js';
export { OidcOptions, type OidcProviderOptions } from './oidc/oidc.options.js';
export { InviteResponse, InvitationResponse } from './invites/invite.dto.js';
export { Invite } from './invites/invite.entity.js';
export { InvitesService } from './invites/invites.service.js';
export { renderEmail, type EmailContent, type EmailPart } from './mails/email-template.js';
export { AccountKey, newSalt, type RecordKey } from './personal-data/account-key.js';
export { BackgroundEncryption } from './personal-data/background-encryption.cron.js';
export { ClearRows } from './personal-data/clear-rows.js';
export { keysOfUsers, type StoredRecordKey } from './personal-data/encryption-keys.repository.js';
export { KeyMissing } from './personal-data/key-missing.js';
export { KeyUnusable } from './personal-data/key-unusable.js';
export { PersonalData } from './personal-data/personal-data.service.js';
export { recordHasTokensSql, recordSaltSql, recordsWithTokensSql } from './personal-data/record-key-sql.js';
export { Session } from './sessions/session.entity.js';
export { User } from './users/user.entity.js';
export { EmailTaken } from './users/users.errors.js';
