import type { WalletPass } from '@passwright/passes';
import type { Template } from '@passwright/templates';
import {
  actionLinks,
  eventDay,
  forReader,
  mergedFields,
  passColours,
  passState,
  type PassSummary,
  type Reader,
  type RenderPass,
  type RenderTemplate,
  stateInWords,
  timeZoneOf,
  wantedFrom,
} from '@passwright/wallet-renderers';
import type { PassPagesOptions } from '../pass-pages.options.js';
import { webImages } from './web-images.js';

/** Returns the texts and the icon of a pass on a page with other passes, in the language of its reader. */
export function passSummary(
  stored: Template,
  row: WalletPass,
  reader: Reader,
  now: Date,
  { baseUrl, language }: PassPagesOptions,
): PassSummary {
  const { template, pass } = forReader(stored, row.pass, wantedFrom(reader, row.pass), language);
  const { words, tone } = stateInWords(passState(template, pass, now), pass, reader, timeZoneOf(template, pass));
  return {
    title: template.title,
    issuerName: template.issuerName,
    language: template.language,
    detail: detailOf(template, pass),
    when: eventDay(template, pass, reader),
    colours: passColours(template),
    actions: actionLinks(template, pass, reader.language),
    iconUrl: webImages(template.images, baseUrl).icon ?? null,
    ended: tone === 'ended' ? words : null,
  };
}

/** Returns the text that distinguishes a pass from other passes of its template, or an empty text. */
export function detailOf(template: RenderTemplate, pass: RenderPass): string {
  return pass.primaryValue ?? firstField(mergedFields(template, pass).fields);
}

/** Returns the first field with a value, with its label; empty if there is none. */
function firstField(fields: readonly { readonly label: string; readonly value: string }[]): string {
  const found = fields.find(({ value }) => value.trim() !== '');
  return found ? [found.label, found.value].filter(Boolean).join(': ') : '';
}
