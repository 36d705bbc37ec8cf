import { mergedFields } from '../merged-fields.js';
import { phrasesOf, readingFor } from '../web/languages.js';
import { dateInWords } from '../web/page-dates.js';
import { type PassColours, passColours } from '../web/readable-colours.js';
import { palettes } from '../web/page-style.js';
import { type Box, type Drawing, lineHeight, roundedRect } from './drawing.js';
import { drawRow, type RowStyle } from './field-row.js';
import { hasEnded, type Scene, screenWidth } from './preview-context.js';

/*
 * The top of the pass's page on a phone: its state, the card and the button. The page wraps texts instead of cutting
 * them, so nothing is noted as cut; the picture ends somewhere.
 */
const card = { x: 16, width: screenWidth - 32, radius: 16 };
const inner = { x: card.x + 16, width: card.width - 32 };
const bannerRatio = 336 / 1032;
const codeSize = 220;
const longestText = 6;

/** The pass as its web page shows it. @returns the height of the picture in points */
export function drawWeb(drawing: Drawing, scene: Scene): number {
  const { template, theme } = scene;
  const palette = palettes[theme];
  const ink = passColours(template);
  const stateMark = drawing.mark;
  const top = drawState(drawing, scene, 16) + 14;
  const cardMark = drawing.mark;
  const bottom = drawCard(drawing, scene, ink, top);
  const box = { ...card, y: top, height: bottom - top };
  const front = drawing.taken(cardMark);
  const state = drawing.taken(stateMark);
  const height = bottom + 14 + 48 + 24;
  drawing.rect({ x: 0, y: 0, width: screenWidth, height }, palette.page);
  drawing.put(state);
  drawing.clipped(roundedRect(box, card.radius), () => {
    drawing.rect(box, ink.background);
    drawBackground(drawing, scene, box, ink);
    drawing.put(front);
  });
  drawButton(drawing, scene, bottom + 14);
  return height;
}

/** As faint as the texts on it need. */
function drawBackground(drawing: Drawing, { images }: Scene, box: Box, { picture }: PassColours): void {
  const { background } = images;
  if (background) drawing.group(`opacity="${picture}"`, () => drawing.image(box, background));
}

function drawState(drawing: Drawing, scene: Scene, y: number): number {
  const { state, theme } = scene;
  const words = stateInWords(scene);
  const tone = hasEnded(state) ? 'ended' : state === 'valid' ? 'good' : 'waiting';
  const palette = palettes[theme];
  const mark = drawing.mark;
  const place = { x: inner.x, y: y + 11, width: inner.width };
  const style = { size: 15, weight: 'medium', maxLines: 3, fill: palette[`${tone}Text`] } as const;
  const { bottom } = drawing.text(words, place, style);
  const text = drawing.taken(mark);
  drawing.rect({ x: card.x, y, width: card.width, height: bottom + 11 - y }, palette[tone], 12);
  drawing.put(text);
  drawing.say(words);
  return bottom + 11;
}

function stateInWords({ pass, state, language, zone }: Scene): string {
  const { locale, language: spoken } = readingFor(language, undefined);
  const phrases = phrasesOf(spoken);
  const [phrase, date] = {
    voided: [phrases.voided, null],
    redeemed: [phrases.redeemed, pass.redeemedAt],
    expired: [phrases.expired, pass.expiresAt],
    not_yet_valid: [phrases.notYetValid, pass.validFrom],
    valid: pass.expiresAt ? [phrases.validUntil, pass.expiresAt] : [phrases.valid, null],
  }[state] as [string, Date | null];
  return phrase.replace('{date}', () => (date ? dateInWords(date, 'moment', locale, zone) : ''));
}

/** @returns its bottom */
function drawCard(drawing: Drawing, scene: Scene, ink: PassColours, top: number): number {
  const { template, pass, images } = scene;
  let y = drawHead(drawing, scene, ink, top + 16) + 14;
  if (images.banner) {
    const height = card.width * bannerRatio;
    drawing.image({ x: card.x, y, width: card.width, height }, images.banner);
    y += height + 16;
  }
  const { thumbnail } = images;
  const beside = thumbnail ? 90 + 12 : 0;
  if (thumbnail) drawing.image({ x: inner.x + inner.width - 90, y, width: 90, height: 90 }, thumbnail, { fit: 'end' });
  const place = { x: inner.x, y, width: inner.width - beside };
  drawing.say(template.title);
  const style = { size: 24, weight: 'bold', maxLines: longestText, fill: ink.foreground } as const;
  const title = drawing.text(template.title, place, style);
  y = Math.max(title.bottom, thumbnail ? y + 90 : 0) + 14;
  if (pass.primaryValue) {
    const primary = plain(template.primaryLabel ?? '', pass.primaryValue);
    y = drawRow(drawing, [primary], [{ ...inner, y }], y, rowStyle(ink, 24)) + 14;
  }
  y = drawFields(drawing, scene, ink, y);
  return drawCode(drawing, scene, y + 4) + 16;
}

function drawHead(drawing: Drawing, { template, images }: Scene, ink: PassColours, y: number): number {
  const { logo } = images;
  drawing.say(template.issuerName);
  if (logo) {
    const scale = Math.min(160 / logo.width, 50 / logo.height);
    const box = { x: inner.x, y, width: logo.width * scale, height: logo.height * scale };
    drawing.image(box, logo, { fit: 'start' });
    return y + box.height;
  }
  const style = { size: 16, weight: 'medium', maxLines: longestText, fill: ink.foreground } as const;
  return drawing.text(template.issuerName, { ...inner, y }, style).bottom;
}

/** Two beside each other. @returns the bottom of the last */
function drawFields(drawing: Drawing, scene: Scene, ink: PassColours, top: number): number {
  const { template, pass, language, zone } = scene;
  const { startDate, location } = template;
  const { locale, language: spoken } = readingFor(language, undefined);
  const phrases = phrasesOf(spoken);
  const fields = [
    ...(startDate ? [plain(phrases.when, dateInWords(startDate, 'moment', locale, zone))] : []),
    ...(location ? [plain(phrases.where, [location.name, location.address].filter(Boolean).join(', '))] : []),
    ...mergedFields(template, pass)
      .fields.filter(({ value }) => value !== '')
      .map(({ label, value }) => plain(label, value)),
  ];
  const width = (inner.width - 16) / 2;
  let y = top;
  for (let from = 0; from < fields.length; from += 2) {
    const row = fields.slice(from, from + 2);
    const columns = row.map((_, index) => ({ x: inner.x + index * (width + 16), y, width }));
    y = drawRow(drawing, row, columns, y, rowStyle(ink, 16)) + 12;
  }
  return y;
}

/** @returns its bottom */
function drawCode(drawing: Drawing, { pass }: Scene, y: number): number {
  const box = { x: card.x + (card.width - codeSize) / 2, y, width: codeSize, height: codeSize };
  drawing.rect(box, '#ffffff', 8);
  drawing.qrCode(box, pass.code);
  const mark = drawing.mark;
  const place = { x: inner.x + 8, y: box.y + codeSize + 10, width: inner.width - 16, align: 'centre' } as const;
  const style = { size: 13, maxLines: longestText, fill: '#000000' } as const;
  const { bottom, width } = drawing.text(pass.code, place, style);
  const text = drawing.taken(mark);
  const ground = {
    x: card.x + (card.width - width) / 2 - 8,
    y: place.y - 2,
    width: width + 16,
    height: bottom - place.y + 4,
  };
  drawing.rect(ground, '#ffffff', 6);
  drawing.put(text);
  drawing.say('Code', pass.code);
  return bottom + 2;
}

function drawButton(drawing: Drawing, { theme, language }: Scene, y: number): void {
  const { button, buttonText } = palettes[theme];
  drawing.rect({ x: card.x, y, width: card.width, height: 48 }, button, 12);
  const place = { x: inner.x, y: y + (48 - 16 * lineHeight) / 2, width: inner.width, align: 'centre' } as const;
  drawing.text(phrasesOf(readingFor(language, undefined).language).addToApple, place, {
    size: 16,
    weight: 'medium',
    fill: buttonText,
  });
}

function plain(label: string, value: string) {
  return { label, value, labelSource: null, valueSource: null };
}

function rowStyle({ label, foreground }: PassColours, valueSize: number): RowStyle {
  return {
    labelSize: 12,
    labelWeight: 'medium',
    valueSize,
    minValueSize: valueSize,
    maxLines: longestText,
    gap: 16,
    labelFill: label,
    valueFill: foreground,
  };
}
