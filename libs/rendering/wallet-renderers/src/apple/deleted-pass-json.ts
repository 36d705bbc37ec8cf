import type { RenderType } from '../model.js';
import { appleStyles, type ApplePassContext, type ApplePassJson } from './pass-json.js';

/** What is known of a pass that was deleted. */
export interface DeletedRenderPass {
  readonly serialNumber: string;
  readonly type: RenderType;
  readonly issuerName: string;
}

const emptyStyle = { primaryFields: [], secondaryFields: [], auxiliaryFields: [], backFields: [] };

/**
 * The `pass.json` that takes the place of a deleted pass on the devices that still hold it: void, grey, without barcode,
 * fields and places, so that nothing personal is left, and nothing of the template, whose changes do not reach it any more.
 */
export function deletedPassJson(
  { serialNumber, type, issuerName }: DeletedRenderPass,
  context: ApplePassContext,
): Omit<ApplePassJson, 'barcodes'> {
  return {
    formatVersion: 1,
    passTypeIdentifier: context.passTypeIdentifier,
    teamIdentifier: context.teamIdentifier,
    serialNumber,
    organizationName: issuerName,
    description: issuerName,
    logoText: issuerName,
    foregroundColor: 'rgb(255, 255, 255)',
    backgroundColor: 'rgb(99, 99, 102)',
    labelColor: 'rgb(255, 255, 255)',
    [appleStyles[type]]: emptyStyle,
    voided: true,
    webServiceURL: context.webServiceUrl,
    authenticationToken: context.authenticationToken,
  };
}
