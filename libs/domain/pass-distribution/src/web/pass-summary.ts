import type { WalletPass } from '@passwright/passes';
import type { Template } from '@passwright/templates';
import {
  forReader,
  mergedFields,
  passState,
  type PassSummary,
  type Reader,
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
    detail: pass.primaryValue ?? mergedFields(template, pass).fields[0]?.value ?? '',
    iconUrl: webImages(template.images, baseUrl).icon ?? null,
    ended: tone === 'ended' ? words : null,
  };
}
