import type { RunningService } from './running-service.js';
import { UnpackedPackage } from './unpacked-package.js';

/** The values in a package with which a phone asks for updates. */
export interface HeldPass {
  /** The path parameters of the PassKit web service, including those of a device. */
  readonly parameters: Record<'passTypeIdentifier' | 'serialNumber' | 'deviceLibraryIdentifier', string>;
  readonly headers: { readonly Authorization: string };
}

/** Downloads a pass as a phone does. */
export async function heldPass(service: RunningService, walletAUrl: string): Promise<HeldPass> {
  const { bytes } = await service.request('GET', walletAUrl);
  const unpacked = await UnpackedPackage.of(bytes);
  unpacked.remove();
  const { passTypeIdentifier, serialNumber, authenticationToken } = unpacked.pass;
  return {
    parameters: { passTypeIdentifier, serialNumber, deviceLibraryIdentifier: '0123456789abcdef0123456789abcdef' },
    headers: { Authorization: `ApplePass ${authenticationToken}` },
  };
}
