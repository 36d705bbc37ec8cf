import type { RenderPass, RenderTemplate } from '../model.js';
import { passState } from '../pass-state.js';
import { timeZoneAt } from '../venue-time.js';
import { drawApple } from './apple-drawing.js';
import { type CutText, Drawing } from './drawing.js';
import { drawGoogle } from './google-drawing.js';
import { type PreviewContext, screenWidth } from './preview-context.js';
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

/** Version of the drawings: raise it with every change of what they look like, so that no cache keeps the old ones. */
export const previewRecipe = 1;

const draw = { apple: drawApple, google: drawGoogle, web: drawWeb } as const;
const names = { apple: 'Apple Wallet', google: 'Google Wallet', web: 'the web' } as const;

/**
 * A picture of how a pass looks: laid out as the wallet does it, texts made smaller and cut where it does. The same
 * input gives the same picture. Letters of Latin, Greek and Cyrillic script are outlines; others are left to the
 * fonts of whoever shows it. All text is escaped, and told in the picture's description too.
 * @throws RangeError when a colour cannot be read
 */
export function preview(template: RenderTemplate, pass: RenderPass, context: PreviewContext): Preview {
  const drawing = new Drawing(`${context.wallet}-${context.theme}`);
  const state = passState(template, pass, context.now);
  const zone = template.location ? timeZoneAt(template.location) : 'UTC';
  const height = Math.ceil(draw[context.wallet](drawing, { ...context, template, pass, state, zone }));
  const title = `${template.title} · ${template.issuerName}, as in ${names[context.wallet]}`;
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
