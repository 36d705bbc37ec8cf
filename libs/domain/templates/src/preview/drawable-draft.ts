import {
  actionTypes,
  type ExaminedPass,
  isColour,
  type RenderAction,
  type RenderLocation,
  type RenderPass,
  type RenderTemplate,
  samplePass,
} from '@passwright/wallet-renderers';

/** Stands in for a colour that nobody can read yet, because it is still being typed. */
const unreadable = { foreground: '#ffffff', background: '#55555c' };
const maxCode = 512;

/** Returns a draft in a form that can be drawn: leaves out what has an invalid form. */
export function drawableTemplate(draft: RenderTemplate): RenderTemplate {
  const { foregroundColor, backgroundColor, labelColor, location, locations, actions } = draft;
  return {
    ...draft,
    foregroundColor: isColour(foregroundColor) ? foregroundColor : unreadable.foreground,
    backgroundColor: isColour(backgroundColor) ? backgroundColor : unreadable.background,
    labelColor: labelColor !== null && isColour(labelColor) ? labelColor : null,
    location: location && isPlace(location) ? location : null,
    locations: locations.filter(isPlace),
    ...(actions && { actions: actions.filter(isAction) }),
  };
}

/** Returns the sample pass of a template with the content of a draft. */
export function drawablePass(template: RenderTemplate, draft: ExaminedPass | null): RenderPass {
  const sample = samplePass(template);
  if (!draft) return sample;
  const { code, validFrom, expiresAt, primaryValue, fields, backFields, locations, actions } = draft;
  const { language, translations } = draft;
  return {
    ...sample,
    code: code && code.length <= maxCode ? code : sample.code,
    validFrom,
    expiresAt,
    primaryValue: sample.primaryValue && (primaryValue ?? sample.primaryValue),
    fields,
    backFields,
    locations: locations.filter(isPlace),
    ...(language && { language }),
    ...(translations && { translations }),
    ...(actions && { actions: actions.filter(isAction) }),
  };
}

function isAction({ type }: RenderAction): boolean {
  return actionTypes.includes(type);
}

function isPlace({ latitude, longitude }: RenderLocation): boolean {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}
