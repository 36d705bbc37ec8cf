import { mergedFields } from '../merged-fields.js';
import type { RenderField, RenderPass, RenderTemplate } from '../model.js';
import { linkOf } from '../value-link.js';
import { actionLinks } from '../web/action-words.js';
import { phrasesOf, readingFor } from '../web/languages.js';
import { backSlots, issuerModuleId, type BackSlots } from './google-layout.js';
import { isBlank } from './google-values.js';

interface TextModule {
  readonly id: string;
  readonly header?: string;
  readonly body: string;
}

interface Link {
  readonly id: string;
  readonly uri: string;
  readonly description: string;
}

/**
 * Returns the fields of a pass for Google: text modules `f0` to `f3` for the front, and `b0`, `b1` … for the back. A
 * back field becomes a link if its whole value is a web address, telephone number or e-mail address. Ids contain
 * positions, because keys may contain characters that ids cannot. Omits fields without a value. Actions are the first
 * links.
 * @param language a BCP 47 tag, for the words of actions
 */
export function modules(
  template: RenderTemplate,
  pass: RenderPass,
  issuerName: string | null,
  language: string,
): object {
  const merged = mergedFields(template, pass);
  const front = merged.fields.flatMap((field, index) => textModule(`f${index}`, field));
  const actions = actionModules(template, pass, language);
  const { texts, links } = backModules(merged.backFields, actions, backSlots(template));
  // Use the English label for a template without a language, as in its existing objects.
  const { issuedBy } = phrasesOf(readingFor(template.language ?? undefined, undefined).language);
  const issuer = issuerName === null ? [] : [{ id: issuerModuleId, header: issuedBy, body: issuerName }];
  const all = [...front, ...texts, ...issuer];
  return {
    ...(all.length > 0 && { textModulesData: all }),
    ...(links.length > 0 && { linksModuleData: { uris: links } }),
  };
}

function textModule(id: string, { label, value }: RenderField): TextModule[] {
  if (isBlank(value)) return [];
  return [{ id, ...(!isBlank(label) && { header: label }), body: value }];
}

function actionModules(template: RenderTemplate, pass: RenderPass, language: string): Link[] {
  return actionLinks(template, pass, readingFor(language, undefined).language).map(({ words, href }, index) => ({
    id: `l${index}`,
    uri: href,
    description: words,
  }));
}

function backModules(
  fields: readonly RenderField[],
  actions: readonly Link[],
  slots: BackSlots,
): { texts: TextModule[]; links: Link[] } {
  const texts: RenderField[] = [];
  const links: Link[] = [...actions];
  for (const field of fields.filter(({ value }) => !isBlank(value))) {
    const uri = links.length < slots.links ? linkOf(field.value) : null;
    if (uri === null) texts.push(field);
    else links.push({ id: `l${links.length}`, uri, description: isBlank(field.label) ? field.value : field.label });
  }
  return { texts: inSlots(texts, slots.texts), links };
}

/** Appends the fields without a slot to the text of the last slot, so that no content is lost. */
function inSlots(fields: readonly RenderField[], slots: number): TextModule[] {
  const rest = fields.slice(slots).map(({ label, value }) => (isBlank(label) ? value : `${label}\n${value}`));
  return fields.slice(0, slots).flatMap((field, index) => {
    const isLast = index === slots - 1;
    return textModule(`b${index}`, isLast ? { ...field, value: [field.value, ...rest].join('\n\n') } : field);
  });
}
