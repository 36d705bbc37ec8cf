import { type AppleField, appleFields } from '../apple/pass-fields.js';
import { appleColours } from '../apple/pass-json.js';
import { primarySizes, primaryTop, stripHeights, stripLayout } from '../apple/strip-layout.js';
import { actionsHeight, drawActionRows } from './action-rows.js';
import { type AppleColours, drawAppleCode, drawnField, rowStyle } from './apple-parts.js';
import { drawPoster, hasPoster, posterCard } from './apple-poster.js';
import { type Box, type Drawing, lineHeight, n, roundedRect } from './drawing.js';
import { drawRow, rowByNeed } from './field-row.js';
import { layText } from './laid-text.js';
import { hasEnded, isOldSystem, type Scene, screenWidth } from './preview-context.js';
import { endInWords, previewPhrases } from './preview-phrases.js';
import { drawGroup, groupHeight } from './related-passes.js';

/*
 * The sizes of a pass on a phone of 375 points, from Apple's guidelines or measured on phones.
 * https://developer.apple.com/design/human-interface-guidelines/wallet
 */
const card: Box = { x: 20, y: 62, width: 375, height: 500 };
const { margin } = stripLayout;
const inner = { x: card.x + margin, width: card.width - 2 * margin };
const header = 66;
const themes = {
  light: {
    ...{ screen: '#f2f2f7', bar: '#007aff', control: '#e3e3e8', dots: '#3c3c43', note: '#6c6c70', edge: '#d9d9de' },
    ...{ panel: '#ffffff', text: '#000000' },
  },
  dark: {
    ...{ screen: '#000000', bar: '#0a84ff', control: '#2c2c2e', dots: '#ebebf5', note: '#98989f', edge: '#2c2c2e' },
    ...{ panel: '#1c1c1e', text: '#ffffff' },
  },
} as const;

/** Draws the pass as Apple Wallet shows it. @returns the height of the picture in points */
export function drawApple(drawing: Drawing, scene: Scene): number {
  const colours = appleColours(scene.template);
  const isPoster = hasPoster(scene);
  const box = isPoster ? posterCard : card;
  const shape = isPoster ? roundedRect(box, 24) : outline(scene);
  const under = box.y + box.height + groupHeight(scene);
  const bottom = under + (isOldSystem(scene) ? 0 : actionsHeight(scene));
  const height = bottom + (hasEnded(scene.state) ? 64 : 40);
  const { edge, panel, text, bar: mark, dots } = themes[scene.theme];
  drawSurroundings(drawing, scene, height);
  drawGroup(drawing, scene, { ...box, radius: 12 }, dots);
  drawing.path(shape, colours.backgroundColor, ` fill-rule="evenodd" stroke="${edge}"`);
  drawing.clipped(shape, () => {
    drawing.rect(box, colours.backgroundColor);
    const draw = () => (isPoster ? drawPoster : drawFront)(drawing, scene, colours);
    drawing.group(hasEnded(scene.state) ? 'opacity="0.45"' : '', draw);
  });
  drawAppleCode(drawing, scene, box);
  if (!isOldSystem(scene)) drawActionRows(drawing, scene, under, { x: box.x, width: box.width, panel, text, mark });
  drawEnd(drawing, scene, bottom + 20);
  return height;
}

function drawSurroundings(drawing: Drawing, { theme, reading }: Scene, height: number): void {
  const { screen, bar, control, dots } = themes[theme];
  drawing.rect({ x: 0, y: 0, width: screenWidth, height }, screen);
  drawing.text(
    previewPhrases[reading.language].done,
    { x: 20, y: 19, width: 80 },
    { size: 17, weight: 'medium', fill: bar },
  );
  drawing.rect({ x: screenWidth - 50, y: 15, width: 30, height: 30 }, control, 15);
  for (const at of [-6, 0, 6])
    drawing.rect({ x: screenWidth - 36.6 + at, y: 28.4, width: 3.2, height: 3.2 }, dots, 1.6);
}

function drawEnd(drawing: Drawing, { theme, state, reading }: Scene, y: number): void {
  const end = endInWords(state, reading.language, 'inApple');
  if (!end) return;
  const place = { x: card.x, y, width: card.width, align: 'centre' } as const;
  drawing.text(end.whole, place, { size: 13, minSize: 10, fill: themes[theme].note });
  drawing.say(end.state);
}

/** Returns the outline of the style: a coupon has torn edges, an event ticket has a notch. */
function outline({ template }: Scene): string {
  const { x, y, width, height } = card;
  if (template.type === 'offer') return tornOff();
  if (template.type !== 'event') return roundedRect(card, 12);
  const side = `h${n((width - 24 - 52) / 2)}`;
  const corner = (toX: number, toY: number) => `a12 12 0 0 1 ${toX} ${toY}`;
  return (
    `M${n(x + 12)} ${n(y)}${side}a30 30 0 0 0 52 0${side}${corner(12, 12)}v${n(height - 24)}${corner(-12, 12)}` +
    `h${n(24 - width)}${corner(-12, -12)}v${n(24 - height)}${corner(12, -12)}z`
  );
}

function tornOff(): string {
  const { x, y, width, height } = card;
  const teeth = 37;
  const tooth = width / teeth;
  const edge = (sign: 1 | -1) => `q${n((sign * tooth) / 2)} ${n(sign * 8)} ${n(sign * tooth)} 0`.repeat(teeth);
  return `M${n(x)} ${n(y)}${edge(1)}V${n(y + height)}${edge(-1)}z`;
}

function drawFront(drawing: Drawing, scene: Scene, colours: AppleColours): void {
  const { template, pass } = scene;
  const groups = appleFields(template, pass);
  drawHeader(drawing, scene, colours);
  const below = drawPrimary(drawing, scene, groups.primaryFields[0], colours);
  const { secondaryFields, auxiliaryFields } = groups;
  const rows =
    template.type === 'event' ? [secondaryFields, auxiliaryFields] : [[...secondaryFields, ...auxiliaryFields]];
  let y = below;
  for (const row of rows.filter(({ length }) => length > 0)) {
    const fields = row.map((field) => drawnField(field, scene));
    const { columns, style } = rowByNeed(fields, { ...inner, y }, rowStyle(colours));
    y = drawRow(drawing, fields, columns, y, style) + 8;
  }
}

function drawHeader(drawing: Drawing, { template, images }: Scene, colours: AppleColours): void {
  const { logo } = images;
  const box = { x: inner.x, y: card.y + 12, height: 42 };
  const width = logo ? Math.min(160, (box.height * logo.width) / logo.height) : 0;
  if (logo) drawing.image({ ...box, width }, logo, { fit: 'start' });
  drawing.say(template.issuerName);
  if (template.type !== 'generic' && template.type !== 'membership') return;
  const x = inner.x + (logo ? width + 10 : 0);
  const place = { x, y: card.y + 33 - (16 * lineHeight) / 2, width: inner.x + inner.width - x };
  drawing.say(template.title);
  const style = { size: 16, weight: 'medium', fill: colours.foregroundColor } as const;
  drawing.text(template.title, place, style, { in: 'template', path: '$.title' });
}

/** Draws the primary field. @returns the y position of the field rows */
function drawPrimary(drawing: Drawing, scene: Scene, primary: AppleField | undefined, colours: AppleColours): number {
  const { template, images } = scene;
  const top = card.y + header;
  if (template.type === 'generic') return drawBesideThumbnail(drawing, scene, primary, colours);
  const height = images.banner ? stripHeights[template.type] : 84;
  const strip = { x: card.x, y: top, width: card.width, height };
  if (images.banner) drawing.image(strip, images.banner);
  if (primary) {
    const { label, value, labelSource, valueSource } = drawnField(primary, scene);
    drawing.say(label, value);
    const { most, least } = primarySizes(template.type, images.banner !== undefined);
    const style = { size: most, minSize: least, fill: colours.foregroundColor };
    const laid = layText(value, inner.width, style);
    const y = top + primaryTop(height, laid.size * lineHeight, label !== '');
    const place = { ...inner, y };
    const { bottom } = drawing.text(value, place, style, valueSource);
    const labelStyle = { size: stripLayout.labelSize, weight: 'medium', fill: colours.labelColor } as const;
    if (label !== '') drawing.text(label, { ...place, y: bottom + 1 }, labelStyle, labelSource);
  }
  return top + height + 12;
}

function drawBesideThumbnail(
  drawing: Drawing,
  scene: Scene,
  primary: AppleField | undefined,
  colours: AppleColours,
): number {
  const { thumbnail } = scene.images;
  const y = card.y + header + 6;
  const width = thumbnail ? Math.min(90, (90 * thumbnail.width) / thumbnail.height) : 0;
  const box = { x: inner.x + inner.width - width, y, width, height: 90 };
  if (thumbnail) drawing.image(box, thumbnail, { fit: 'end', radius: 4 });
  if (primary) {
    const { label, value, labelSource, valueSource } = drawnField(primary, scene);
    drawing.say(label, value);
    const place = { x: inner.x, y: y + 12, width: inner.width - (thumbnail ? width + 14 : 0) };
    const labelStyle = { size: 12, weight: 'medium', fill: colours.labelColor } as const;
    const { bottom } = drawing.text(label, place, labelStyle, labelSource);
    const style = { size: 30, minSize: 17.5, fill: colours.foregroundColor };
    drawing.text(value, { ...place, y: bottom + 2 }, style, valueSource);
  }
  return y + 90 + 14;
}
