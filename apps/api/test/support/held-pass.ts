import type { RunningService } from './running-service.js';
import { UnpackedPackage } from './unpacked-package.js';

/** What a phone reads in a package, to ask for its updates with. */
export interface HeldPass {
  /** Of the paths of the PassKit web service, those of a device included. */
  readonly parameters: Record<'passTypeIdentifier' | 'serialNumber' | 'deviceLibraryIdentifier', string>;
  readonly headers: { readonly Authorization: string };
}

/** Downloads a pass, as a phone that adds it does. */
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
