import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RenderPass, RenderTemplate } from '../model.js';
import { passState } from '../pass-state.js';
import { directionOf, phrasesOf, readingFor, webLanguages } from '../web/languages.js';
import { palettes } from '../web/page-style.js';
import { timeZoneOf } from '../web/page-view.js';
import { drawApple } from './apple-drawing.js';
import { type CutText, Drawing } from './drawing.js';
import { drawGoogle } from './google-drawing.js';
import { type PreviewContext, screenWidth } from './preview-context.js';
import { previewPhrases } from './preview-phrases.js';
import { drawWeb } from './web-drawing.js';

/** A picture of a pass. */
export interface Preview {
  /** A complete `<svg>` element of 415 points in width that needs no font, file or script. */
  readonly svg: string;
  /** In points, as is the height. */
  readonly width: number;
  readonly height: number;
  /** The texts that the wallet does not show whole, in the order they are drawn. */
  readonly cut: readonly CutText[];
}

const release = readFileSync(require.resolve('../../package.json'));

/** Names what pictures are drawn with: the release, and within it the words and colours. So no cache keeps old ones. */
export const previewRecipe = createHash('sha256')
  .update(release)
  .update(JSON.stringify([2, previewPhrases, webLanguages.map(phrasesOf), palettes]))
  .digest('base64url')
  .slice(0, 8);

const draw = { apple: drawApple, google: drawGoogle, web: drawWeb } as const;
const names = { apple: 'Apple Wallet', google: 'Google Wallet', web: 'the web' } as const;

/**
 * A picture of how a pass looks: laid out as the wallet does it, texts made smaller and cut where it does. The same
 * input gives the same picture. Letters of Latin, Greek and Cyrillic script are outlines; others are left to the
 * fonts of whoever shows it. All text is escaped, and told in the picture's description too.
 * @throws RangeError when a colour cannot be read
 */
export function preview(template: RenderTemplate, pass: RenderPass, context: PreviewContext): Preview {
  const { wallet, theme, now, language } = context;
  const reading = readingFor(language, undefined);
  // Pages have a direction; wallets show each text in its own.
  const direction = wallet === 'web' ? directionOf(reading.language) : undefined;
  const drawing = new Drawing(`${wallet}-${theme}`, direction);
  const state = passState(template, pass, now);
  const zone = timeZoneOf(template, pass);
  const height = Math.ceil(draw[wallet](drawing, { ...context, template, pass, state, reading, zone }));
  const title = `${template.title} · ${template.issuerName}, as in ${names[wallet]}`;
  const size = { width: screenWidth, height };
  return { svg: drawing.svg(title, size), ...size, cut: drawing.cuts };
}

/** A pass to show a template with: the template's own fields, a name where there is room for one, a sample code. */
export function samplePass(template: RenderTemplate): RenderPass {
  return {
    serialNumber: 'sample',
    code: 'SAMPLE-0001',
    validFrom: null,
    expiresAt: null,
    voidedAt: null,
    expiredAt: null,
    redeemedAt: null,
    primaryValue: template.primaryLabel === null ? null : 'Ada Lovelace',
    fields: [],
    backFields: [],
    locations: [],
  };
}
