import {
  actionTypes,
  characterCount,
  type ExaminedPass,
  isColour,
  maxActions,
  maxChangeMessageLength,
  maxFrontFields,
  maxLocations,
  type RenderAction,
  type RenderField,
  type RenderLocation,
  type RenderPass,
  type RenderTemplate,
  samplePass,
  type Translations,
} from '@passwright/wallet-renderers';

/** The colours that replace a colour that cannot be parsed, for example while a user is typing it. */
const unreadable = { foreground: '#ffffff', background: '#55555c' };
const maxCode = 512;
/** The limits of saved templates and passes (`template.dto.ts`), in characters, items and bytes. */
const maxName = 200;
const maxKey = 100;
const maxLabel = 100;
const maxFrontValue = 1000;
const maxBackValue = 4000;
const maxBackFields = 50;
const maxPrimaryValue = 512;
const maxAddress = 500;
const maxRelevantText = 300;
const maxUrl = 2048;
const maxTranslationBytes = { template: 100_000, pass: 20_000 };

/**
 * Returns a draft in a form that can be drawn. Omits malformed properties. Shortens lists and texts to the limits of a
 * saved template, because drawing takes time for every character.
 */
export function drawableTemplate(draft: RenderTemplate): RenderTemplate {
  const { foregroundColor, backgroundColor, labelColor, location, locations, actions, translations } = draft;
  const { title, issuerName, primaryLabel } = draft;
  return {
    ...draft,
    title: cut(title, maxName),
    issuerName: cut(issuerName, maxName),
    primaryLabel: primaryLabel === null ? null : cut(primaryLabel, maxLabel),
    ...drawableFields(draft),
    foregroundColor: isColour(foregroundColor) ? foregroundColor : unreadable.foreground,
    backgroundColor: isColour(backgroundColor) ? backgroundColor : unreadable.background,
    labelColor: labelColor !== null && isColour(labelColor) ? labelColor : null,
    location: location && isPlace(location) ? drawablePlace(location) : null,
    locations: drawablePlaces(locations),
    ...(translations && { translations: withinBytes(translations, maxTranslationBytes.template) }),
    ...(actions && { actions: drawableActions(actions) }),
  };
}

/** Returns the sample pass of a template with the content of a draft. */
export function drawablePass(template: RenderTemplate, draft: ExaminedPass | null): RenderPass {
  const sample = samplePass(template);
  if (!draft) return sample;
  const { code, validFrom, expiresAt, primaryValue, locations, actions } = draft;
  const { language, translations } = draft;
  return {
    ...sample,
    code: code && characterCount(code) <= maxCode ? code : sample.code,
    validFrom,
    expiresAt,
    primaryValue: sample.primaryValue && cut(primaryValue ?? sample.primaryValue, maxPrimaryValue),
    ...drawableFields(draft),
    locations: drawablePlaces(locations),
    ...(language && { language }),
    ...(translations && { translations: withinBytes(translations, maxTranslationBytes.pass) }),
    ...(actions && { actions: drawableActions(actions) }),
  };
}

function drawableFields({ fields, backFields }: Pick<RenderPass, 'fields' | 'backFields'>) {
  const drawable = (maxValue: number) => (field: RenderField) => {
    const { key, label, value, changeMessage } = field;
    return {
      ...field,
      key: cut(key, maxKey),
      label: cut(label, maxLabel),
      value: cut(value, maxValue),
      ...(changeMessage && { changeMessage: cut(changeMessage, maxChangeMessageLength) }),
    };
  };
  return {
    fields: fields.slice(0, maxFrontFields).map(drawable(maxFrontValue)),
    backFields: backFields.slice(0, maxBackFields).map(drawable(maxBackValue)),
  };
}

function drawablePlaces(locations: readonly RenderLocation[]): RenderLocation[] {
  return locations.filter(isPlace).slice(0, maxLocations).map(drawablePlace);
}

function drawablePlace(location: RenderLocation): RenderLocation {
  const { name, address, relevantText } = location;
  return {
    ...location,
    ...(name && { name: cut(name, maxName) }),
    address: cut(address, maxAddress),
    ...(relevantText && { relevantText: cut(relevantText, maxRelevantText) }),
  };
}

function drawableActions(actions: readonly RenderAction[]): RenderAction[] {
  return actions.filter((action) => isAction(action) && action.url.length <= maxUrl).slice(0, maxActions);
}

/** Returns the first languages of the translations, as many as fit into `maxBytes` of JSON. */
function withinBytes(translations: Translations, maxBytes: number): Translations {
  let bytes = 1;
  const kept = Object.entries(translations).filter(([tag, table]) => {
    bytes += Buffer.byteLength(JSON.stringify({ [tag]: table })) - 1;
    return bytes <= maxBytes;
  });
  return Object.fromEntries(kept);
}

/** Cuts a text to a number of characters. Counts a surrogate pair as one character. */
function cut(text: string, maxCharacters: number): string {
  return text.slice(0, 2 * maxCharacters);
}

function isAction({ type }: RenderAction): boolean {
  return actionTypes.includes(type);
}

function isPlace({ latitude, longitude }: RenderLocation): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}
