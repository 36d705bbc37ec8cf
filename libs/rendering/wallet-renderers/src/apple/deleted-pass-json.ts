import type { RenderType } from '../model.js';
import { appleStyles, type ApplePassContext, type ApplePassJson } from './pass-json.js';

/** The data that the service stores about a deleted pass. */
export interface DeletedRenderPass {
  readonly serialNumber: string;
  readonly type: RenderType;
  readonly issuerName: string;
}

const emptyStyle = { primaryFields: [], secondaryFields: [], auxiliaryFields: [], backFields: [] };

/**
 * Builds the `pass.json` that replaces a deleted pass on devices. The pass is void and grey, without barcode, fields or
 * locations, so that no personal data remains. It uses nothing from the template, because later changes of the template
 * would not reach devices.
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
