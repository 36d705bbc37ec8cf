export { AppleWalletModule } from './apple-wallet.module.js';
export { AppleWalletOptions } from './apple-wallet.options.js';
export {
  type DeviceProgress,
  type FormerDevice,
  type InstalledDevice,
  type LogLine,
  type PassDevice,
} from './devices/pass-devices.repository.js';
export { PassDevicesService } from './devices/pass-devices.service.js';
export { sendParts } from './packages/apple-package-response.js';
export { ApplePassesService, type ApplePass } from './packages/apple-passes.service.js';
export { applePushBacklog, type ApplePushBacklog } from './push/apple-push-backlog.js';
export type { PushPacing } from './push/push-pacing.js';
export { PushStateService, type PushState } from './push/push-state.service.js';
