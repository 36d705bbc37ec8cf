import type { RenderTemplate } from '../model.js';
import { type AppleField, appleFields, type FieldsOfPass } from './pass-fields.js';

/** The field groups of the poster style, which iOS draws on the artwork. */
export interface ApplePosterFields {
  /** At most one field, at the top. It stays visible in a stack of passes. */
  headerFields: AppleField[];
  /** At most 4 fields. The first field has no label and is the large title. */
  primaryFields: AppleField[];
  /** At most one field, at the bottom. */
  footerFields: AppleField[];
  backFields: AppleField[];
}

const maxPrimaryFields = 4;

/**
 * Returns the fields of a pass in the groups of the poster style: the title, and then the other fields of the classic
 * style. The fourth field goes to the top, the fifth to the bottom.
 * @see https://developer.apple.com/documentation/walletpasses/creating-a-poster-generic-pass
 */
export function applePosterFields(template: RenderTemplate, pass: FieldsOfPass): ApplePosterFields {
  const { primaryFields, secondaryFields, auxiliaryFields, backFields } = appleFields(template, pass);
  const isTitled = primaryFields.some(({ key }) => key === '_title');
  const title: AppleField[] = isTitled || template.title === '' ? [] : [{ key: '_title', value: template.title }];
  const all = [...title, ...primaryFields, ...secondaryFields, ...auxiliaryFields];
  const rest = all.slice(maxPrimaryFields);
  return {
    headerFields: rest.slice(0, 1),
    primaryFields: all.slice(0, maxPrimaryFields),
    footerFields: rest.slice(1, 2),
    backFields,
  };
}
