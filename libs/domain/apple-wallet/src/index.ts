export { AppleWalletModule } from './apple-wallet.module.js';
export { AppleWalletOptions } from './apple-wallet.options.js';
export { DeviceRegistrationsService, type RegistrationAddress } from './devices/device-registrations.service.js';
export { type DeviceName, readPushToken } from './devices/device-request.js';
export { LatestPassesService, type LatestPass } from './devices/latest-passes.service.js';
export {
  type DeviceProgress,
  type FormerDevice,
  type InstalledDevice,
  type LogLine,
  type PassDevice,
} from './devices/pass-devices.repository.js';
export { PassDevicesService } from './devices/pass-devices.service.js';
export { PassTokenRejected, requirePassToken } from './packages/authentication-token.js';
export { isSecretForeign } from './devices/token-secret-check.service.js';
export { UpdatedPassesResponse } from './devices/updated-passes.dto.js';
export { UpdatedPassesService } from './devices/updated-passes.service.js';
export { DeviceLogsService } from './logs/device-logs.service.js';
export { readLogs } from './logs/log-request.js';
export { type PackageHead, sendPackage, sendParts } from './packages/apple-package-response.js';
export { ApplePassesService, type ApplePass } from './packages/apple-passes.service.js';
export { applePushBacklog, type ApplePushBacklog } from './push/apple-push-backlog.js';
export type { PushPacing } from './push/push-pacing.js';
export { PushStateService, type PushState } from './push/push-state.service.js';
