import type { AppleField } from '../apple/pass-fields.js';
import type { appleColours } from '../apple/pass-json.js';
import { placeOf } from '../lint/front-rules.js';
import type { Box, Drawing } from './drawing.js';
import type { DrawnField, RowStyle } from './field-row.js';
import { codeOf, hasEnded, type Scene, writtenDate } from './preview-context.js';

/* The parts that the classic styles and the poster style of Apple Wallet share. */

export type AppleColours = ReturnType<typeof appleColours>;

const codeSize = 156;

/** Draws the barcode at the bottom of a card. */
export function drawAppleCode(drawing: Drawing, scene: Scene, card: Box): void {
  const { pass, state } = scene;
  const padding = 6;
  const { format, width, height } = codeOf(scene, codeSize, { width: 288, height: 88 });
  const box = { width: width + 2 * padding, height: height + 24 };
  const x = card.x + (card.width - box.width) / 2;
  const y = card.y + card.height - box.height - 20;
  drawing.rect({ x, y, ...box }, '#ffffff', 6);
  drawing.group(hasEnded(state) ? 'opacity="0.18"' : '', () => {
    drawing.barcode({ x: x + padding, y: y + 2, width, height }, format, pass.code);
    const place = { x: x + padding, y: y + height - 1, width, align: 'centre' } as const;
    drawing.text(pass.code, place, { size: 13, minSize: 10, fill: '#1c1c1e' }, { in: 'pass', path: '$.code' });
  });
  drawing.say('Code', pass.code);
}

/** Returns a field as phones show it: the label in capitals, and a date in the holder's language. */
export function drawnField(field: AppleField, scene: Scene): DrawnField {
  const { template, pass } = scene;
  const source = (part: 'label' | 'value') => {
    const { in: document, path } = placeOf(field.key, part, template, pass);
    // Dates and labels of the service's own fields have no source, because users cannot change them.
    const isOurs = field.dateStyle !== undefined || (field.key === '_place' && part === 'label');
    const text = part === 'label' ? (field.label ?? '') : field.value;
    return isOurs ? null : { in: document, path: `$.${path}`, text };
  };
  return {
    label: (field.label ?? '').toUpperCase(),
    value: field.dateStyle
      ? writtenDate(new Date(field.value), scene, field.timeStyle === 'PKDateStyleNone' ? 'day' : 'time')
      : field.value,
    labelSource: source('label'),
    valueSource: source('value'),
  };
}

/** Returns the style of a row of fields. */
export function rowStyle({ labelColor, foregroundColor }: AppleColours): RowStyle {
  return {
    labelSize: 11,
    labelWeight: 'medium',
    valueSize: 18,
    minValueSize: 15,
    maxLines: 1,
    gap: 16,
    labelFill: labelColor,
    valueFill: foregroundColor,
  };
}
