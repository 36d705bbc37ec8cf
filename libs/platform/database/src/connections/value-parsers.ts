import { type CustomTypesConfig, types } from 'pg';

const { INT8, TIMESTAMPTZ, JSON: JSON_TYPE, JSONB } = types.builtins;

type Parse = (text: string) => unknown;

/** A parser for one type of column, a sample text, and a check of the value that the parser returns for the sample. */
interface OwnParser {
  readonly parse: Parse;
  readonly sample: string;
  readonly isRight: (value: unknown) => boolean;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const json: OwnParser = { parse: (text) => JSON.parse(text) as unknown, sample: '{}', isRight: isObject };
const own: Readonly<Record<number, OwnParser>> = {
  [TIMESTAMPTZ]: {
    parse: (text) => new Date(text),
    sample: '2026-01-01 00:00:00+00',
    isRight: (value) => value instanceof Date,
  },
  [INT8]: { parse: (text) => text, sample: '1', isRight: (value) => value === '1' },
  [JSON_TYPE]: json,
  [JSONB]: json,
};

const chosen = new WeakMap<Parse, Parse>();

/**
 * Parses the values of our own connections as pg does by default. The app may have replaced pg's parsers for the whole
 * process (`types.setTypeParser`), for example to get timestamps as text.
 */
export const ownParsers: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const given = types.getTypeParser(oid, format) as Parse;
    const parser = format === 'binary' ? undefined : own[oid];
    if (!parser) return given;
    let parse = chosen.get(given);
    if (!parse) chosen.set(given, (parse = parser.isRight(given(parser.sample)) ? given : parser.parse));
    return parse;
  },
};
