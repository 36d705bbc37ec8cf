import { actionLinks } from '../web/action-words.js';
import { type Drawing, lineHeight } from './drawing.js';
import type { Scene } from './preview-context.js';

/** The position in points and the colours of the actions below a card. */
interface RowsStyle {
  readonly x: number;
  readonly width: number;
  readonly panel: string;
  readonly text: string;
  readonly mark: string;
}

const row = { above: 16, height: 52, gap: 10, radius: 14 };

/** Returns the height of the actions below a card, 0 if there are no actions. */
export function actionsHeight({ template, pass, reading }: Scene): number {
  const { length } = actionLinks(template, pass, reading.language);
  return length === 0 ? 0 : row.above + length * row.height + (length - 1) * row.gap;
}

/** Draws the actions one below the other, as the wallets do, each with a dot in place of its icon. */
export function drawActionRows(drawing: Drawing, scene: Scene, top: number, style: RowsStyle): void {
  const { template, pass, reading } = scene;
  actionLinks(template, pass, reading.language).forEach(({ words }, index) => {
    const box = {
      x: style.x,
      y: top + row.above + index * (row.height + row.gap),
      width: style.width,
      height: row.height,
    };
    drawing.rect(box, style.panel, row.radius);
    drawing.rect({ x: box.x + 14, y: box.y + 12, width: 28, height: 28 }, style.mark, 14);
    const place = { x: box.x + 54, y: box.y + (row.height - 16 * lineHeight) / 2, width: box.width - 68 };
    drawing.text(words, place, { size: 16, minSize: 12, weight: 'medium', fill: style.text });
    drawing.say(words);
  });
}
