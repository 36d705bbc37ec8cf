import { createHash } from 'node:crypto';
import type { CodeFormat, RenderPass, RenderTemplate } from '../model.js';
import { packageJson } from '../package-json.js';
import { passState } from '../pass-state.js';
import { forReader } from '../translations/in-language.js';
import { actionWords } from '../web/action-words.js';
import { directionOf, phrasesOf, readingFor, webLanguages } from '../web/languages.js';
import { palettes } from '../web/page-style.js';
import { timeZoneOf } from '../web/page-view.js';
import { drawApple } from './apple-drawing.js';
import { type CutText, Drawing } from './drawing.js';
import { drawGoogle } from './google-drawing.js';
import { type PreviewContext, screenWidth, systemNames } from './preview-context.js';
import { previewPhrases } from './preview-phrases.js';
import { drawWeb } from './web-drawing.js';

/** A picture of a pass. */
export interface Preview {
  /** A complete `<svg>` element, 415 points wide, that needs no font, file or script. */
  readonly svg: string;
  /** The width in points. `height` is in points too. */
  readonly width: number;
  readonly height: number;
  /** The texts that the wallet cuts, in drawing order. */
  readonly cut: readonly CutText[];
}

/**
 * A hash of everything that determines how pictures are drawn, as part of cache keys, so that caches never return
 * pictures of an earlier release.
 */
export const previewVersion = createHash('sha256')
  .update(JSON.stringify([7, packageJson, previewPhrases, webLanguages.map(phrasesOf), actionWords, palettes]))
  .digest('base64url')
  .slice(0, 8);

const draw = { apple: drawApple, google: drawGoogle, web: drawWeb } as const;
const names = { apple: 'Apple Wallet', google: 'Google Wallet', web: 'the web' } as const;

/**
 * Draws a picture of a pass with the wallet's layout and truncation. The same input gives the same picture. Latin,
 * Greek and Cyrillic letters are outlines; other letters use the viewer's fonts. All text is escaped. The picture's
 * description repeats all text.
 * @throws RangeError for an unreadable colour
 */
export function preview(ownTemplate: RenderTemplate, ownPass: RenderPass, context: PreviewContext): Preview {
  const { wallet, theme, system, now, language } = context;
  const reading = readingFor(language, undefined);
  const { template, pass } = forReader(ownTemplate, ownPass, language ? [language] : [], context.ownLanguage);
  // The web page and phones in a right-to-left language use one direction for all texts. In other pictures, each text
  // has its own.
  const written = directionOf(reading.language);
  const direction = wallet === 'web' || written === 'rtl' ? written : undefined;
  const drawing = new Drawing([wallet, theme, ...(system ? [system] : [])].join('-'), direction);
  const state = passState(template, pass, now);
  const zone = timeZoneOf(template, pass);
  const height = Math.ceil(draw[wallet](drawing, { ...context, template, pass, state, reading, zone }));
  const place = system && wallet === 'apple' ? `${names.apple} on ${systemNames[system]}` : names[wallet];
  const title = `${template.title} · ${template.issuerName}, as in ${place}`;
  const size = { width: screenWidth, height };
  return { svg: drawing.svg(title, size), ...size, cut: drawing.cuts };
}

/** The sample codes of the formats that hold digits only. */
const sampleCodes: Partial<Record<CodeFormat, string>> = {
  codabar: 'A0001234B',
  ean13: '2000000000015',
  itf: '20000000000103',
};

/**
 * Returns a sample pass of a template. It has the template's own fields, a sample code, and a name if the front has
 * space for a name.
 */
export function samplePass(template: RenderTemplate): RenderPass {
  return {
    serialNumber: 'sample',
    code: sampleCodes[template.codeFormat] ?? 'SAMPLE-0001',
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
