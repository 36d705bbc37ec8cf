import { mergedFields } from '../merged-fields.js';
import { placeName } from '../merged-locations.js';
import type { RenderField, RenderPass, RenderTemplate } from '../model.js';
import { venueTime } from '../venue-time.js';
import { eventPlace, passPlace } from '../venue-time-zone.js';
import { phrasesOf, readingFor } from '../web/languages.js';
import { changeMessageFormat } from './change-message.js';
import { messageFields } from './message-fields.js';

/** The field groups of one style in `pass.json`. */
export interface AppleFields {
  primaryFields: AppleField[];
  secondaryFields: AppleField[];
  auxiliaryFields: AppleField[];
  backFields: AppleField[];
}

/**
 * A field. If it has date styles, its value is an ISO 8601 date-time, which the device formats: in the value's time
 * zone if `ignoresTimeZone` is set, otherwise in the holder's.
 */
export interface AppleField {
  key: string;
  label?: string;
  value: string;
  /** The text on the lock screen when the value changes, with `%@` for the value. Without it, changes are silent. */
  changeMessage?: string;
  dateStyle?: 'PKDateStyleMedium';
  timeStyle?: 'PKDateStyleShort' | 'PKDateStyleNone';
  ignoresTimeZone?: true;
}

/** The properties of a pass that `appleFields` reads. */
export type FieldsOfPass = Pick<RenderPass, 'fields' | 'backFields' | 'primaryValue' | 'validFrom' | 'messages'> &
  Partial<Pick<RenderPass, 'locations'>>;

/**
 * Returns the fields of a pass in Apple's groups. The front has at most one primary field and 4 fields of the caller.
 * Omits front fields with an empty or blank value. Keys of the service's own fields start with `_`. Front fields
 * announce changes unless their change message is empty. Back fields change silently, except the newest message.
 * @see https://developer.apple.com/documentation/walletpasses/passfields
 */
export function appleFields(template: RenderTemplate, pass: FieldsOfPass): AppleFields {
  const merged = mergedFields(template, pass);
  const front = merged.fields.map(frontField).filter(hasValue);
  const labels = labelsOf(template);
  const { doorsOpen, ends, validFrom } = labels;
  const back = [
    ...messageFields(pass, labels, () => passPlace(template, { locations: pass.locations ?? [] })),
    dateField('_doorsOpen', doorsOpen, template.doorsOpen, template),
    dateField('_end', ends, template.endDate, template),
    dateField('_validFrom', validFrom, pass.validFrom, template),
    ...merged.backFields.map(toAppleField),
  ];
  return {
    primaryFields: [primaryField(template, pass)].filter(hasValue),
    ...frontGroups(template, front),
    backFields: back.filter((field) => field !== null),
  };
}

/** Returns the labels of the service's own fields in the language of a template, or else in English. */
function labelsOf({ language }: RenderTemplate) {
  return phrasesOf(readingFor(language ?? undefined, undefined).language);
}

/** Distributes the caller's fields over two rows. The secondary row of an event contains only its date and place. */
function frontGroups(template: RenderTemplate, front: AppleField[]) {
  if (template.type !== 'event') return { secondaryFields: front.slice(0, 2), auxiliaryFields: front.slice(2) };
  const { when, where } = labelsOf(template);
  const date = template.startDay ? dayField(template, when) : dateField('_date', when, template.startDate, template);
  const place = template.location && frontField({ key: '_place', label: where, value: placeName(template.location) });
  return {
    secondaryFields: [date && withMessage(date), place].filter(hasValue),
    auxiliaryFields: front,
  };
}

function primaryField(template: RenderTemplate, pass: FieldsOfPass): AppleField {
  const isTitle = template.type === 'offer' || template.type === 'event';
  if (isTitle) return frontField({ key: '_title', label: '', value: template.title });
  return frontField({ key: '_primary', label: template.primaryLabel ?? '', value: pass.primaryValue ?? '' });
}

function frontField(field: RenderField): AppleField {
  return withMessage(toAppleField(field), field.changeMessage);
}

/** Sets the change message of a new field. @returns the field */
function withMessage(field: AppleField, own?: string | null): AppleField {
  const changeMessage = changeMessageFormat(field.label ?? '', own);
  if (changeMessage !== null) field.changeMessage = changeMessage;
  return field;
}

function toAppleField({ key, label, value }: RenderField): AppleField {
  return label === '' ? { key, value } : { key, label, value };
}

/**
 * Returns a date field, which the device formats in the holder's language. The date of an event is in the time zone of
 * its place, any other date in the holder's time zone.
 */
function dateField(
  key: string,
  label: string,
  date: Date | null | undefined,
  template: RenderTemplate,
): AppleField | null {
  if (!date) return null;
  const place = template.type === 'event' ? eventPlace(template) : null;
  const styles = { dateStyle: 'PKDateStyleMedium', timeStyle: 'PKDateStyleShort' } as const;
  if (!place) return { key, label, value: date.toISOString(), ...styles };
  return { key, label, value: zoned(venueTime(date, place)), ...styles, ignoresTimeZone: true };
}

/** Returns a field with the day of an event without a start time. It shows the same day in every time zone. */
function dayField(template: RenderTemplate, label: string): AppleField | null {
  const { startDate } = template;
  if (!startDate) return null;
  const value = zoned(venueTime(startDate, eventPlace(template)));
  const styles = { dateStyle: 'PKDateStyleMedium', timeStyle: 'PKDateStyleNone' } as const;
  return { key: '_date', label, value, ...styles, ignoresTimeZone: true };
}

/** Drops the seconds of a historic UTC offset, which Apple's date format does not allow. */
function zoned(time: string): string {
  return time.replace(/([+-]\d\d:\d\d):\d\d$/, '$1');
}

function hasValue(field: AppleField | null): field is AppleField {
  return field !== null && field.value.trim() !== '';
}
