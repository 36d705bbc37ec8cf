import { applePosterFields } from '../apple/poster-fields.js';
import { posterLayout, posterTops } from '../apple/poster-layout.js';
import { type AppleColours, drawnField, rowStyle } from './apple-parts.js';
import type { Box, Drawing } from './drawing.js';
import { drawRow, rowByNeed } from './field-row.js';
import { isOldSystem, type Scene } from './preview-context.js';

/*
 * The poster style: artwork over the whole width, logo and header field at its top, title and fields at its bottom, and
 * the barcode below.
 * https://developer.apple.com/design/human-interface-guidelines/wallet
 */
export const posterCard: Box = { x: 20, y: 62, width: posterLayout.width, height: 680 };
const { artworkHeight, margin } = posterLayout;
const inner = { x: posterCard.x + margin, width: posterCard.width - 2 * margin };
const logoBox = posterLayout.logo;
const veil = ' fill-opacity="0.6"';

/** Returns true if the system shows the pass as a poster. */
export function hasPoster(scene: Scene): boolean {
  return scene.images.artwork !== undefined && scene.template.type !== 'event' && !isOldSystem(scene);
}

/** Draws the front of a poster, without its barcode. */
export function drawPoster(drawing: Drawing, scene: Scene, colours: AppleColours): void {
  const { artwork } = scene.images;
  if (artwork) drawing.image({ ...posterCard, height: artworkHeight }, artwork);
  const { headerFields, primaryFields, footerFields } = applePosterFields(scene.template, scene.pass);
  const [title, ...fields] = primaryFields.map((field) => drawnField(field, scene));
  const texts = drawing.mark;
  const bottom = posterCard.y + artworkHeight;
  const titleStyle = {
    size: posterLayout.titleSize,
    minSize: 16,
    weight: 'bold',
    fill: colours.foregroundColor,
  } as const;
  const tops = posterTops({ primaryFields, footerFields });
  const top = posterCard.y + tops.title;
  drawTop(
    drawing,
    scene,
    colours,
    headerFields.map((field) => drawnField(field, scene)),
  );
  if (title) {
    drawing.say(title.label, title.value);
    drawing.text(title.value, { ...inner, y: top }, titleStyle, title.valueSource);
  }
  const rows = [
    { row: fields, y: posterCard.y + tops.fields },
    { row: footerFields.map((field) => drawnField(field, scene)), y: posterCard.y + tops.footer },
  ];
  for (const { row, y } of rows.filter(({ row }) => row.length > 0)) {
    const { columns, style } = rowByNeed(row, { ...inner, y }, rowStyle(colours));
    drawRow(drawing, row, columns, y, style);
  }
  const front = drawing.taken(texts);
  // The artwork is darkened or lightened behind the texts, so that they stay readable.
  drawing.rect({ ...posterCard, height: 62 }, colours.backgroundColor, 0, veil);
  drawing.rect({ ...posterCard, y: top - 10, height: bottom - top + 10 }, colours.backgroundColor, 0, veil);
  drawing.put(front);
}

/** Draws the logo and the header field beside it. */
function drawTop(
  drawing: Drawing,
  { template, images }: Scene,
  colours: AppleColours,
  header: readonly ReturnType<typeof drawnField>[],
): void {
  const y = posterCard.y + margin;
  const { primaryLogo } = images;
  drawing.say(template.issuerName);
  if (primaryLogo) drawing.image({ x: inner.x, y, ...logoBox }, primaryLogo, { fit: 'start' });
  if (header.length === 0) return;
  const room = { x: inner.x + logoBox.width + 16, y: y - 6, width: inner.width - logoBox.width - 16 };
  const { columns, style } = rowByNeed(header, room, rowStyle(colours));
  const aside = columns.map((column) => ({ ...column, x: inner.x + inner.width - column.width }));
  drawRow(drawing, header, aside, room.y, style);
}
