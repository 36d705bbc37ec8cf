import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type as InstanceOf } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';

/*
 * Decorators for request properties, one per kind. Each combines validation with OpenAPI documentation, so that the two
 * cannot differ. With `optional`, a property may be absent or null, which mean the same.
 */
interface Described {
  readonly description: string;
  readonly example?: unknown;
  readonly optional?: boolean;
}

function property(api: ApiPropertyOptions, { optional = false, ...doc }: Described, ...checks: PropertyDecorator[]) {
  const presence = optional ? [IsOptional()] : [];
  return applyDecorators(
    ApiProperty({ ...api, ...doc, required: !optional } as ApiPropertyOptions),
    ...presence,
    ...checks,
  );
}

const singleLine = /^[^\n\t]*$/;

/** Matches a visible character: anything but spaces, zero-width characters and the like. */
const visible = /[^\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

const blank = '$property must not be blank';

/** Validates the number of characters, which are Unicode code points, as JSON Schema counts them. */
function CharacterCount(min: number, max: number): PropertyDecorator {
  const isLong = (value: unknown) => typeof value === 'string' && characterCount(value) > max;
  const isShort = (value: unknown) => typeof value !== 'string' || characterCount(value) < min;
  return ValidateBy({
    name: 'isLength',
    validator: {
      validate: (value: unknown) => !isShort(value) && !isLong(value),
      defaultMessage: (args) => {
        if (args?.value === '' && min <= 1) return blank;
        const rule = isLong(args?.value) ? `shorter than or equal to ${max}` : `longer than or equal to ${min}`;
        return `$property must be ${rule} characters`;
      },
    },
  });
}

function characterCount(text: string): number {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return text.length - pairs;
}

/**
 * Validates a text of `min` (default 1) to `max` characters. The text must not be blank, unless `min` is 0. Line breaks
 * and tabs are allowed only with `multiline`; other control characters are rejected earlier, when the request is read.
 */
export function Text(
  options: Described & { min?: number; max: number; multiline?: boolean; pattern?: RegExp; patternHint?: string },
): PropertyDecorator {
  const { min = 1, max, multiline = false, pattern, patternHint, ...doc } = options;
  const checks = [IsString(), CharacterCount(min, max)];
  if (min > 0) checks.push(Matches(visible, { message: blank }));
  if (!multiline)
    checks.push(Matches(singleLine, { message: '$property must be a single line: no line breaks or tabs' }));
  if (pattern)
    checks.push(Matches(pattern, { message: `$property must be ${patternHint ?? `like ${String(pattern)}`}` }));
  return property({ type: String, minLength: min, maxLength: max, pattern: pattern?.source }, doc, ...checks);
}

/**
 * Matches characters that embed, override or isolate the direction of text, which can make one name look like another.
 */
const turnsDirection = /[\u202a-\u202e\u2066-\u2069]/;

/** Returns the reason to reject a name, worded as the end of a sentence; null for a valid name. */
export function rejectedName(name: string): string | null {
  const found = turnsDirection.exec(name)?.[0];
  if (found === undefined) return null;
  const code = found.charCodeAt(0).toString(16).toUpperCase();
  return `must not hold characters that turn the direction of text (U+${code})`;
}

/** Validates a name that people read: a single line of `Text`, without characters that change the text direction. */
export function Name(options: Described & { max: number }): PropertyDecorator {
  const check = ValidateBy({
    name: 'name',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || rejectedName(value) === null,
      defaultMessage: (args) => `$property ${rejectedName(String(args?.value))}`,
    },
  });
  return applyDecorators(Text(options), check);
}

/**
 * Validates an ISO 8601 date-time with hours, minutes and a zone, such as 2026-11-20T10:00:00.000Z; years 1970 to 9999.
 */
export function DateTime(doc: Described): PropertyDecorator {
  const check = ValidateBy({
    name: 'dateTime',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isDateTime(value),
      defaultMessage: () => '$property must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:00:00.000Z',
    },
  });
  return property({ type: String, format: 'date-time' }, { example: '2026-12-31T23:00:00.000Z', ...doc }, check);
}

/**
 * Validates a date-time as `@DateTime` does, or a date alone, such as 2026-11-20; years 1970 to 9999 in every time zone.
 */
export function DateOrDateTime(doc: Described): PropertyDecorator {
  const check = ValidateBy({
    name: 'dateOrDateTime',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && (isDateTime(value) || isDate(value)),
      defaultMessage: () =>
        '$property must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:00:00.000Z, or a date, such as 2026-11-20',
    },
  });
  return property(
    { type: String, maxLength: maxDateTimeLength },
    { example: '2026-12-31T23:00:00.000Z', ...doc },
    check,
  );
}

/**
 * Returns true for a date without a time, such as `2026-11-20`, if `@DateTime` accepts its first moment in every time
 * zone.
 */
export function isDate(text: string): boolean {
  // In this time zone, the day begins earliest.
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && isDateTime(`${text}T00:00+14:00`);
}

/** The length of a date-time with nanoseconds and an offset. */
const maxDateTimeLength = 35;
const dateTimeForm = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Returns true for a date-time that `@DateTime` accepts; February 30 is invalid. */
export function isDateTime(text: string): boolean {
  const [, year, month, day] = dateTimeForm.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const instant = new Date(text);
  return day <= daysInMonth && instant.getTime() >= 0 && instant.getUTCFullYear() <= 9999;
}

/** Validates an IANA time zone by this machine's time zone data. Rejects offsets. */
export function TimeZone(): PropertyDecorator {
  return ValidateBy({
    name: 'timeZone',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isTimeZone(value),
      defaultMessage: () => '$property must be the IANA name of a time zone, such as Europe/Berlin',
    },
  });
}

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Validates a JSON boolean. */
export function Flag(doc: Described): PropertyDecorator {
  // Without `Untouched`, a global pipe of the app could turn the text "false" into true.
  return property({ type: Boolean }, doc, IsBoolean(), Untouched());
}

/** Validates a finite number from `min` to `max`. */
export function NumberIn({ min, max, ...doc }: Described & { min: number; max: number }): PropertyDecorator {
  const checks = [IsNumber({ allowNaN: false, allowInfinity: false }), Min(min), Max(max)];
  return property({ type: Number, minimum: min, maximum: max }, doc, ...checks);
}

/** Validates one of a fixed set of strings. */
export function OneOf({ values, ...doc }: Described & { values: readonly string[] }): PropertyDecorator {
  const message = `$property must be one of ${values.join(', ')}`;
  return property({ type: String, enum: [...values] }, doc, IsIn(values, { message }));
}

/** Validates a list of one or more different strings of a fixed set. */
export function SomeOf({ values, ...doc }: Described & { values: readonly string[] }): PropertyDecorator {
  const message = `$property must hold only these: ${values.join(', ')}`;
  const checks = [
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(values.length),
    ArrayUnique(),
    IsIn(values, { each: true, message }),
  ];
  const limits = { minItems: 1, maxItems: values.length, uniqueItems: true };
  return property({ type: String, enum: [...values], isArray: true, ...limits }, doc, ...checks);
}

// Swagger accepts a function as a type only if its name is `type`. The property `type` gives it that name.

/** Validates a list of at most `max` objects of a DTO class. */
export function ListOf(item: () => Type<object>, { max, ...doc }: Described & { max: number }): PropertyDecorator {
  const objects = ValidateBy({
    name: 'objects',
    validator: {
      validate: (value: unknown) => Array.isArray(value) && value.every(isPlain),
      defaultMessage: () => '$property must be a list of objects',
    },
  });
  const checks = [IsArray(), ArrayMaxSize(max), objects, ValidateNested({ each: true }), InstanceOf(item)];
  return property({ type: () => [item()], maxItems: max }, doc, ...checks);
}

/** Validates one object of a DTO class. */
export function Nested(item: () => Type<object>, doc: Described): PropertyDecorator {
  return property({ type: () => item() }, doc, IsObject(), ValidateNested(), InstanceOf(item));
}

/** Keeps free JSON as it was parsed, because the class transformer drops some names, such as `constructor`. */
export function Untouched(): PropertyDecorator {
  return Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) =>
    Object.hasOwn(obj, key) ? obj[key] : undefined,
  );
}

/** Validates free JSON: an object of at most `maxLength` characters when serialised. */
export function JsonObject({ maxLength, ...doc }: Described & { maxLength: number }): PropertyDecorator {
  const check = ValidateBy({
    name: 'jsonObject',
    validator: {
      validate: (value: unknown) => isPlain(value) && JSON.stringify(value).length <= maxLength,
      defaultMessage: () => `$property must be a JSON object of at most ${maxLength} characters when serialised`,
    },
  });
  return property({ type: 'object', additionalProperties: true }, doc, check);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
