import { mergedFields } from '../merged-fields.js';
import { placeName } from '../merged-locations.js';
import type { RenderField, RenderPass, RenderTemplate } from '../model.js';

/** The field groups of one style in `pass.json`. */
export interface AppleFields {
  primaryFields: AppleField[];
  secondaryFields: AppleField[];
  auxiliaryFields: AppleField[];
  backFields: AppleField[];
}

/** One field. With the two styles its value is an ISO 8601 date-time, which the device writes in its holder's way. */
export interface AppleField {
  key: string;
  label?: string;
  value: string;
  dateStyle?: 'PKDateStyleMedium';
  timeStyle?: 'PKDateStyleShort';
}

/**
 * The fields of a pass in Apple's groups: at most one primary field and 4 of the caller's on the front, none with an
 * empty value. Keys of our own begin with `_`, which callers' keys do not.
 * @see https://developer.apple.com/documentation/walletpasses/passfields
 */
export function appleFields(template: RenderTemplate, pass: RenderPass): AppleFields {
  const merged = mergedFields(template, pass);
  const front = merged.fields.map(toAppleField).filter(hasValue);
  const back = [dateField('_validFrom', 'Valid from', pass.validFrom), ...merged.backFields.map(toAppleField)];
  return {
    primaryFields: [primaryField(template, pass)].filter(hasValue),
    ...frontGroups(template, front),
    backFields: back.filter((field) => field !== null),
  };
}

/** An event's secondary row belongs to its date and place; the other styles split the caller's fields over two rows. */
function frontGroups(template: RenderTemplate, front: AppleField[]) {
  if (template.type !== 'event') return { secondaryFields: front.slice(0, 2), auxiliaryFields: front.slice(2) };
  const place = template.location && { key: '_place', label: 'Place', value: placeName(template.location) };
  return {
    secondaryFields: [dateField('_date', 'Date', template.startDate), place].filter(hasValue),
    auxiliaryFields: front,
  };
}

function primaryField(template: RenderTemplate, pass: RenderPass): AppleField {
  if (template.type === 'offer' || template.type === 'event') return { key: '_title', value: template.title };
  return toAppleField({ key: '_primary', label: template.primaryLabel ?? '', value: pass.primaryValue ?? '' });
}

function toAppleField({ key, label, value }: RenderField): AppleField {
  return label === '' ? { key, value } : { key, label, value };
}

/** A date is left to the device to write: in its holder's language, and in the time zone the holder is in. */
function dateField(key: string, label: string, date: Date | null): AppleField | null {
  if (!date) return null;
  return { key, label, value: date.toISOString(), dateStyle: 'PKDateStyleMedium', timeStyle: 'PKDateStyleShort' };
}

function hasValue(field: AppleField | null): field is AppleField {
  return field !== null && field.value !== '';
}
