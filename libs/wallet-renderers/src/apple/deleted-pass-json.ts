import type { RenderTemplate, RenderType } from '../model.js';
import { appleColours, appleStyles, type ApplePassContext, type ApplePassJson } from './pass-json.js';

/** What is known of a pass that was deleted. */
export interface DeletedRenderPass {
  readonly serialNumber: string;
  readonly type: RenderType;
  readonly issuerName: string;
}

/** Of a template that is gone: its look is, too. */
const neutralColours = {
  foregroundColor: 'rgb(255, 255, 255)',
  backgroundColor: 'rgb(99, 99, 102)',
  labelColor: 'rgb(255, 255, 255)',
};

/**
 * The `pass.json` that takes the place of a deleted pass on the devices that still hold it: void, without barcode, fields
 * and places, so that nothing personal is left. It looks as its template does, or grey where that is gone too.
 * @throws RangeError when a colour of the template cannot be read
 */
export function deletedPassJson(
  pass: DeletedRenderPass,
  template: RenderTemplate | null,
  context: ApplePassContext,
): Omit<ApplePassJson, 'barcodes'> {
  const issuerName = template?.issuerName ?? pass.issuerName;
  return {
    formatVersion: 1,
    passTypeIdentifier: context.passTypeIdentifier,
    teamIdentifier: context.teamIdentifier,
    serialNumber: pass.serialNumber,
    organizationName: issuerName,
    description: template?.title ?? issuerName,
    logoText: template?.title ?? issuerName,
    ...(template ? appleColours(template) : neutralColours),
    [appleStyles[template?.type ?? pass.type]]: {
      primaryFields: [],
      secondaryFields: [],
      auxiliaryFields: [],
      backFields: [],
    },
    voided: true,
    webServiceURL: context.webServiceUrl,
    authenticationToken: context.authenticationToken,
  };
}
