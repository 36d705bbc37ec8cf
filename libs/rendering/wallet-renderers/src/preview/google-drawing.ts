import { hexColour, opaqueColour } from '../colour.js';
import { placeName } from '../merged-locations.js';
import { ownLanguage } from '../translations/in-language.js';
import { readingFor } from '../web/languages.js';
import { actionsHeight, drawActionRows } from './action-rows.js';
import { type Drawing, lineHeight, roundedRect, type TextSource } from './drawing.js';
import { drawRow, type RowStyle } from './field-row.js';
import { googleRows } from './google-rows.js';
import { codeOf, hasEnded, type Scene, screenWidth } from './preview-context.js';
import { endInWords } from './preview-phrases.js';
import { drawGroup, groupHeight } from './related-passes.js';

/*
 * The layout of a pass in Google Wallet, from top to bottom: logo in a circle and name, title, rows of fields, barcode,
 * hero image. https://developers.google.com/wallet/generic/resources/template
 */
const card = { x: 16, y: 64, width: screenWidth - 32, radius: 24 };
const inner = { x: card.x + 20, width: card.width - 40 };
const codeSize = 184;
const heroRatio = 336 / 1032;
const themes = {
  light: { screen: '#ffffff', icon: '#444746', note: '#444746', edge: '#e1e3e1', panel: '#f0f4f9', text: '#1f1f1f' },
  dark: { screen: '#131314', icon: '#c4c7c5', note: '#c4c7c5', edge: '#2b2c2e', panel: '#1e1f20', text: '#e3e3e3' },
} as const;

interface Ink {
  readonly background: string;
  readonly strong: string;
  readonly soft: string;
  readonly line: string;
}

/** Draws the pass as Google Wallet shows it. @returns the height of the picture in points */
export function drawGoogle(drawing: Drawing, scene: Scene): number {
  const ink = inkOn(scene);
  const mark = drawing.mark;
  let bottom = drawHead(drawing, scene, ink);
  bottom = drawTitle(drawing, scene, ink, bottom + 14);
  bottom = drawRows(drawing, scene, ink, bottom + 16);
  bottom = drawCode(drawing, scene, bottom + 20) + 24;
  const { banner } = scene.images;
  const hero = { x: card.x, y: bottom, width: card.width, height: banner ? card.width * heroRatio : 0 };
  const box = { ...card, height: hero.y + hero.height - card.y };
  if (banner) drawing.clipped(roundedRect(box, card.radius), () => drawing.image(hero, banner));
  const under = box.y + box.height + groupHeight(scene);
  const below = under + actionsHeight(scene);
  const height = below + (hasEnded(scene.state) ? 64 : 32);
  const front = drawing.taken(mark);
  drawSurroundings(drawing, scene, height);
  const { panel, text, icon, edge } = themes[scene.theme];
  drawGroup(drawing, scene, box, icon);
  drawing.rect(box, ink.background, card.radius);
  drawing.group(hasEnded(scene.state) ? 'opacity="0.5"' : '', () => drawing.put(front));
  drawing.rect(box, 'none', card.radius, ` stroke="${edge}"`);
  // Name the links in a language of the pass, because Google stores names only in these languages.
  const reading = readingFor(ownLanguage(scene.template, scene.ownLanguage), undefined);
  const rows = { x: card.x, width: card.width, panel, text, mark: icon };
  drawActionRows(drawing, { ...scene, reading }, under, rows);
  drawEnd(drawing, scene, below + 20);
  return height;
}

/** Returns black or white: the text colour that Google chooses for the background colour. */
function inkOn({ template }: Scene): Ink {
  const background = hexColour(template.backgroundColor);
  const { r = 0, g = 0, b = 0 } = opaqueColour(template.backgroundColor) ?? {};
  const isDark = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) < 0.36;
  return isDark
    ? { background, strong: '#ffffff', soft: '#ffffff', line: 'rgb(255,255,255)' }
    : { background, strong: '#1f1f1f', soft: '#3c4043', line: 'rgb(0,0,0)' };
}

function linear(channel: number): number {
  return (channel / 255) ** 2.2;
}

function drawSurroundings(drawing: Drawing, { theme }: Scene, height: number): void {
  const { screen, icon } = themes[theme];
  drawing.rect({ x: 0, y: 0, width: screenWidth, height }, screen);
  const stroke = ` stroke="${icon}" stroke-width="2" stroke-linecap="round"`;
  const { x } = drawing.placed({ x: 25, width: 14 });
  drawing.path(`M${x} 25l14 14m0-14l-14 14`, 'none', stroke);
  for (const y of [26, 32, 38]) drawing.rect({ x: screenWidth - 34, y: y - 1.8, width: 3.6, height: 3.6 }, icon, 1.8);
}

/**
 * Draws the wide logo, if there is one. Otherwise draws the square logo in a circle, or the first letter of the name,
 * with the name beside it.
 * @returns the bottom of the head
 */
function drawHead(drawing: Drawing, { template, pass, images }: Scene, ink: Ink): number {
  const size = 40;
  const box = { x: inner.x, y: card.y + 16, width: size, height: size };
  const isTitle = template.type === 'generic' && !!pass.primaryValue;
  const [name, path] = isTitle ? [template.title, '$.title'] : [template.issuerName, '$.issuerName'];
  const line = { x: card.x, y: box.y + size + 15, width: card.width, height: 1 };
  drawing.rect(line, ink.line, 0, ' fill-opacity="0.16"');
  drawing.say(name);
  // Generic passes have no wide logo at Google, because it would replace the title.
  if (images.logo && template.type !== 'generic') {
    drawing.image({ ...box, width: Math.min(inner.width, size * 3.2) }, images.logo, { fit: 'start' });
    return line.y + 1;
  }
  if (images.icon) drawing.image(box, images.icon, { radius: size / 2 });
  else {
    drawing.rect(box, ink.line, size / 2, ' fill-opacity="0.16"');
    const place = { ...box, y: box.y + (size - 20 * lineHeight) / 2, align: 'centre' } as const;
    drawing.text([...name.trim()][0]?.toUpperCase() ?? '', place, { size: 20, weight: 'medium', fill: ink.strong });
  }
  const x = inner.x + size + 12;
  const place = { x, y: box.y + (size - 16 * lineHeight) / 2, width: inner.x + inner.width - x };
  drawing.text(name, place, { size: 16, weight: 'medium', fill: ink.strong }, { in: 'template', path });
  return line.y + 1;
}

/** Draws the title and its related texts. @returns their bottom */
function drawTitle(drawing: Drawing, { template, pass }: Scene, ink: Ink, y: number): number {
  const title = template.type === 'generic' ? pass.primaryValue || template.title : template.title;
  const isPrimary = template.type === 'generic' && !!pass.primaryValue;
  const above = isPrimary ? (template.primaryLabel ?? '') : '';
  const source: TextSource = isPrimary ? { in: 'pass', path: '$.primaryValue' } : { in: 'template', path: '$.title' };
  const place = { x: inner.x, width: inner.width };
  const labelStyle = { size: 14, fill: ink.soft };
  const top =
    above === ''
      ? y
      : drawing.text(above, { ...place, y }, labelStyle, { in: 'template', path: '$.primaryLabel' }).bottom + 2;
  drawing.say(above, title);
  const { bottom } = drawing.text(title, { ...place, y: top }, { size: 24, maxLines: 2, fill: ink.strong }, source);
  if (template.type !== 'event' || !template.location) return bottom;
  const venue = placeName(template.location);
  drawing.say(venue);
  const path = template.location.name ? '$.location.name' : '$.location.address';
  return drawing.text(venue, { ...place, y: bottom + 4 }, labelStyle, { in: 'template', path }).bottom;
}

/** Draws the rows of fields. @returns the bottom of the last row */
function drawRows(drawing: Drawing, scene: Scene, ink: Ink, y: number): number {
  const style: RowStyle = {
    labelSize: 12,
    labelWeight: 'regular',
    valueSize: 16,
    minValueSize: 16,
    maxLines: 2,
    gap: 16,
    labelFill: ink.soft,
    valueFill: ink.strong,
  };
  return googleRows(scene).reduce((bottom, row) => {
    const width = (inner.width - style.gap * (row.length - 1)) / row.length;
    const columns = row.map((_, index) => ({ x: inner.x + index * (width + style.gap), y: bottom, width }));
    return drawRow(drawing, row, columns, bottom + 12, style);
  }, y - 12);
}

/** Draws the barcode. @returns its bottom */
function drawCode(drawing: Drawing, scene: Scene, y: number): number {
  const { pass } = scene;
  const { format, width, height } = codeOf(scene, codeSize, { width: inner.width - 24, height: 96 });
  const box = { x: card.x + (card.width - width - 24) / 2, y, width: width + 24, height: height + 40 };
  drawing.rect(box, '#ffffff', 16);
  drawing.barcode({ x: box.x + 12, y: y + 6, width, height }, format, pass.code);
  const place = { x: box.x + 12, y: y + height + 8, width, align: 'centre' } as const;
  drawing.text(pass.code, place, { size: 14, fill: '#1f1f1f' }, { in: 'pass', path: '$.code' });
  drawing.say('Code', pass.code);
  return box.y + box.height;
}

function drawEnd(drawing: Drawing, { state, theme, reading }: Scene, y: number): void {
  const end = endInWords(state, reading.language, 'inGoogle');
  if (!end) return;
  const place = { x: card.x, y, width: card.width, align: 'centre' } as const;
  drawing.text(end.whole, place, { size: 14, minSize: 10, fill: themes[theme].note });
  drawing.say(end.state);
}
