import type { ActionType, FieldSets, RenderAction, RenderLocation, RenderTemplate } from '../model.js';

/** A text of a template or pass that may be translated, and the rules for its translations. */
export interface TranslatableText {
  /** The key in `translations`, such as `title` or `fields.points.label`. */
  readonly key: string;
  readonly text: string;
  /** The maximum number of characters of a translation. The same limit applies to the text itself. */
  readonly max: number;
  readonly multiline: boolean;
  /** True for the change message of a field, which contains `%@`. */
  readonly isChangeMessage: boolean;
  /** The type of the action, if the text is the address of an action; absent for other texts. */
  readonly addressOf?: ActionType;
}

/** The properties of a pass that contain texts of its own. */
export interface TextsOfPass extends FieldSets {
  readonly primaryValue: string | null;
  readonly locations: readonly RenderLocation[];
  readonly actions?: readonly RenderAction[] | null;
}

/** The maximum length of the texts of each kind. The validation of requests uses the same limits. */
const limits = {
  name: 200,
  label: 100,
  value: 1000,
  backValue: 4000,
  changeMessage: 100,
  address: 500,
  near: 300,
  url: 2048,
};
const primaryValueLimit = 512;

/** Returns the texts of a template. Omits blank texts, which no wallet shows. */
export function textsOfTemplate(template: RenderTemplate): TranslatableText[] {
  const { title, issuerName, primaryLabel, location, locations } = template;
  return shown([
    text('title', title, limits.name),
    text('issuerName', issuerName, limits.name),
    text('primaryLabel', primaryLabel, limits.label),
    ...textsOfFields(template),
    ...(location ? textsOfLocation('location', location) : []),
    ...locations.flatMap((each, index) => textsOfLocation(`locations.${index}`, each)),
    ...addressesOf(template.actions),
  ]);
}

/** Returns the texts that a pass can translate: its own, and the fields of its template. */
export function textsOfPass(template: FieldSets, pass: TextsOfPass): TranslatableText[] {
  const own = new Map(textsOfFields(pass).map((each) => [each.key, each]));
  const inherited = textsOfFields(template).filter(({ key }) => !own.has(key));
  return shown([
    text('primaryValue', pass.primaryValue, primaryValueLimit),
    ...own.values(),
    ...inherited,
    ...pass.locations.flatMap((each, index) => textsOfLocation(`locations.${index}`, each)),
    ...addressesOf(pass.actions),
  ]);
}

function textsOfFields({ fields, backFields }: FieldSets): TranslatableText[] {
  return [
    ...fields.flatMap(({ key, label, value, changeMessage }) => [
      text(`fields.${key}.label`, label, limits.label),
      text(`fields.${key}.value`, value, limits.value, true),
      {
        ...text(`fields.${key}.changeMessage`, changeMessage, limits.changeMessage),
        isChangeMessage: true,
      },
    ]),
    ...backFields.flatMap(({ key, label, value }) => [
      text(`backFields.${key}.label`, label, limits.label),
      text(`backFields.${key}.value`, value, limits.backValue, true),
    ]),
  ];
}

function textsOfLocation(path: string, { name, address, relevantText }: RenderLocation): TranslatableText[] {
  return [
    text(`${path}.name`, name, limits.name),
    text(`${path}.address`, address, limits.address, true),
    text(`${path}.relevantText`, relevantText, limits.near),
  ];
}

function addressesOf(actions: readonly RenderAction[] | null | undefined): TranslatableText[] {
  return (actions ?? []).map(({ type, url }, index) => ({
    ...text(`actions.${index}.url`, url, limits.url),
    addressOf: type,
  }));
}

function text(key: string, value: string | null | undefined, max: number, multiline = false): TranslatableText {
  return { key, text: value ?? '', max, multiline, isChangeMessage: false };
}

function shown(texts: readonly TranslatableText[]): TranslatableText[] {
  return texts.filter(({ text }) => text.trim() !== '');
}
