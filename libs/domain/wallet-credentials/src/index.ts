export {
  AppleCertificateRequestResponse,
  AppleCertificateResponse,
  AppleCertificateUpload,
  ApplePushState,
} from './apple-certificates/apple-certificate.dto.js';
export {
  AppleCertificateInUse,
  NoAppleCertificate,
  PassTypeDiffers,
} from './apple-certificates/apple-certificates.errors.js';
export { AppleCertificateListener } from './apple-certificates/apple-certificate.listener.js';
export { AppleCertificateChanged } from './apple-certificates/apple-certificates.jobs.js';
export { AppleCertificatesModule } from './apple-certificates.module.js';
export { AppleCertificatesOptions } from './apple-certificates.options.js';
export { AppleCertificatesService } from './apple-certificates/apple-certificates.service.js';
export {
  countCertificates,
  endingCertificates,
  type CertificateCounts,
  type EndingCertificate,
} from './apple-certificates/certificate-counts.js';
export { CertificateOverviewService } from './apple-certificates/certificate-overview.service.js';
export { OperatorIdentityService, type OperatorCertificate } from './apple-certificates/operator-identity.service.js';
export {
  GoogleServiceAccountResponse,
  GoogleServiceAccountSaved,
  GoogleServiceAccountUpload,
} from './google-service-accounts/google-service-account.dto.js';
export { IssuerDiffers, NoGoogleServiceAccount } from './google-service-accounts/google-service-accounts.errors.js';
export { GoogleIssuerListener } from './google-service-accounts/google-issuer.listener.js';
export { GoogleServiceAccountChanged } from './google-service-accounts/google-service-accounts.jobs.js';
export { GoogleServiceAccountsModule } from './google-service-accounts.module.js';
export { GoogleServiceAccountsOptions } from './google-service-accounts.options.js';
export { GoogleServiceAccountsService } from './google-service-accounts/google-service-accounts.service.js';
export { IssuerOverviewService } from './google-service-accounts/issuer-overview.service.js';
export { TestAccountCredentials } from './test-account-credentials.errors.js';
export { EncryptedSecretsModule } from './encrypted-secrets.module.js';
export { EncryptedSecretsOptions } from './encrypted-secrets.options.js';
