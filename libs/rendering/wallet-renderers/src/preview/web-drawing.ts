import { shownFormat } from '../code-format.js';
import { pageView, type PageView } from '../web/page-view.js';
import { palettes } from '../web/page-style.js';
import { type Box, type Drawing, lineHeight, n, roundedRect, type TextPlace } from './drawing.js';
import type { Weight } from './typeface.js';
import { type Scene, screenWidth } from './preview-context.js';
import { drawRelatedList } from './related-passes.js';

/*
 * Draws the top of the pass's page on an iPhone: state, pass and buttons. Uses the page's data and the sizes of its
 * style sheet (`../web/pass-style.ts`). Records no cut texts, because the page wraps texts.
 */
const card = { x: 16, width: screenWidth - 32, radius: 16 };
const inner = { x: card.x + 16, width: card.width - 32 };
const bannerRatio = 336 / 1032;
const artworkRatio = 448 / 358;
const codeSize = 216;
const longestText = 6;
const thumbnailSize = 90;

/** The page's data and the scene. */
interface Page {
  readonly scene: Scene;
  readonly view: PageView;
  readonly isEnded: boolean;
}

/** Draws the pass as its web page shows it. @returns the height of the picture in points */
export function drawWeb(drawing: Drawing, scene: Scene): number {
  const view = viewOf(scene);
  const page = { scene, view, isEnded: view.state.tone === 'ended' };
  const mark = drawing.mark;
  const top = drawState(drawing, page, 16) + 16;
  const passMark = drawing.mark;
  const bottom = drawPass(drawing, page, top);
  const front = drawing.taken(passMark);
  const state = drawing.taken(mark);
  const buttons = drawActions(drawing, page, bottom + 16);
  const list = { x: card.x, y: buttons + (buttons > bottom + 16 ? 16 : 0), width: card.width };
  const end = drawRelatedList(drawing, scene, list);
  const actions = drawing.taken(mark);
  const height = end + 24;
  drawing.rect({ x: 0, y: 0, width: screenWidth, height }, palettes[scene.theme].page);
  drawing.put([...state, ...actions]);
  const box = { ...card, y: top, height: bottom - top };
  drawing.clipped(outline(view, box), () => {
    drawing.rect(box, view.colours.background);
    drawBackground(drawing, page, box);
    drawing.put(front);
  });
  return height;
}

/** Returns the data of this pass's page in a browser on an iPhone. The page offers both wallets. */
function viewOf({ template, pass, now, reading }: Scene): PageView {
  const address = 'https://passes.example/p';
  return pageView(template, pass, {
    urls: { apple: address, google: address, web: address },
    images: {},
    now,
    development: false,
    reader: { ...reading, device: 'iphone', inApp: false },
    version: '',
  });
}

/** Returns the outline: an offer has two torn edges, an event has a notch. */
function outline({ type }: PageView, box: Box): string {
  const { x, y, width, height } = box;
  const arc = (radius: number, toX: number, sweep: 0 | 1) => `a${n(radius)} ${n(radius)} 0 0 ${sweep} ${n(toX)} 0`;
  if (type === 'event') {
    const half = Math.sqrt(24 ** 2 - 8 ** 2);
    const notch = `M${n(x + width / 2 - half)} ${n(y)}${arc(24, 2 * half, 0)}z`;
    // The even-odd rule cuts the notch out of the pass.
    return `${roundedRect(box, card.radius)}${notch}`;
  }
  if (type !== 'offer') return roundedRect(box, card.radius);
  const bite = 10.5;
  const holes = Math.floor((width / 2 - bite / 2) / 16) * 2 + 1;
  const side = (width - holes * bite - (holes - 1) * (16 - bite)) / 2;
  const edge = (sign: 1 | -1) =>
    `h${n(sign * side)}${Array.from({ length: holes }, () => arc(bite / 2, sign * bite, 0)).join(`h${n(sign * (16 - bite))}`)}`;
  return `M${n(x)} ${n(y)}${edge(1)}H${n(x + width)}V${n(y + height)}${edge(-1)}H${n(x)}z`;
}

/** Draws the background image, faint enough for the texts on top. */
function drawBackground(drawing: Drawing, { scene, view, isEnded }: Page, box: Box): void {
  const { background } = scene.images;
  if (!background) return;
  const draw = () => drawing.group(`opacity="${view.colours.picture}"`, () => drawing.image(box, background));
  if (isEnded) drawing.grey(draw);
  else draw();
}

/** Draws the state. @returns the y of its bottom edge */
function drawState(drawing: Drawing, { scene, view }: Page, y: number): number {
  const { words, tone } = view.state;
  const palette = palettes[scene.theme];
  if (tone === 'good') return drawQuietState(drawing, words, palette, y);
  const fill = palette[`${tone}Text`];
  const mark = drawing.mark;
  const place = { x: inner.x + 20, y: y + 13, width: inner.width - 20 };
  const style = { size: 16, weight: 'medium', maxLines: longestText, fill } as const;
  const { bottom } = drawing.text(words, place, style);
  const dot = { x: inner.x, y: y + 18, width: 10, height: 10 };
  if (tone === 'ended') drawing.rect({ ...dot, y: y + 21.5, height: 3 }, fill);
  else {
    const ring = { x: dot.x + 1.5, y: dot.y + 1.5, width: 7, height: 7 };
    drawing.rect(ring, 'none', 3.5, ` stroke="${fill}" stroke-width="3"`);
  }
  const text = drawing.taken(mark);
  drawing.rect({ x: card.x, y, width: card.width, height: bottom + 13 - y }, palette[tone], 12);
  drawing.put(text);
  drawing.say(words);
  return bottom + 13;
}

/** Draws a state that needs no attention, such as valid, as a line without a box. @returns the y of its bottom edge */
function drawQuietState(
  drawing: Drawing,
  words: string,
  { goodText, muted }: (typeof palettes)[keyof typeof palettes],
  y: number,
): number {
  const x = card.x + 4;
  drawing.rect({ x, y: y + 6, width: 10, height: 10 }, goodText, 5);
  const place = { x: x + 20, y, width: card.width - 28 };
  const { bottom } = drawing.text(words, place, { size: 15, maxLines: longestText, fill: muted });
  drawing.say(words);
  return bottom;
}

/** Draws the pass. @returns the y of its bottom edge */
function drawPass(drawing: Drawing, page: Page, top: number): number {
  const { view, scene, isEnded } = page;
  const { banner, artwork } = scene.images;
  const tear = view.type === 'offer' ? 6 : 0;
  let y = drawHeader(drawing, page, top + tear);
  const picture = artwork ?? banner;
  if (picture) {
    const box = { x: card.x, y, width: card.width, height: card.width * (artwork ? artworkRatio : bannerRatio) };
    const draw = () => drawing.image(box, picture);
    if (isEnded) drawing.grey(draw);
    else draw();
    y = box.y + box.height + 16;
  }
  y = drawTitle(drawing, page, y);
  for (const fact of factsOf(view)) y = drawFact(drawing, page, fact, y + 16);
  y = drawFields(drawing, page, y);
  return drawCode(drawing, page, y + 20) + 20 + tear;
}

/** Draws the header. @returns the y of its bottom edge */
function drawHeader(drawing: Drawing, { scene, view, isEnded }: Page, y: number): number {
  const { logo } = scene.images;
  const above = view.type === 'event' ? 20 : 12;
  drawing.say(view.issuerName);
  if (logo) {
    const box = { x: inner.x, y: y + above, width: 176, height: 44 };
    const draw = () => drawing.image(box, logo, { fit: 'start' });
    if (isEnded) drawing.grey(draw);
    else draw();
    return y + above + 56;
  }
  const style = { size: 17, weight: 'medium', maxLines: longestText, fill: view.colours.foreground } as const;
  const mark = drawing.mark;
  const { bottom } = drawing.text(view.issuerName, { ...inner, y: 0 }, style);
  drawing.taken(mark);
  const height = Math.max(68, above + bottom + 12);
  const middle = y + above + (height - above - 12 - bottom) / 2;
  drawing.text(view.issuerName, { ...inner, y: middle }, style);
  return y + height;
}

/** Draws the title and the thumbnail beside it. @returns their bottom */
function drawTitle(drawing: Drawing, { scene, view, isEnded }: Page, y: number): number {
  const { thumbnail } = scene.images;
  const width = inner.width - (thumbnail ? thumbnailSize + 16 : 0);
  drawing.say(view.title);
  const style = { size: 24, weight: 'bold', maxLines: longestText, fill: view.colours.foreground } as const;
  const { bottom } = drawing.text(view.title, { x: inner.x, y, width }, style);
  if (!thumbnail) return bottom;
  const x = inner.x + inner.width - thumbnailSize;
  const box = { x, y, width: thumbnailSize, height: thumbnailSize };
  const draw = () => drawing.image(box, thumbnail, { fit: 'top', radius: 8 });
  if (isEnded) drawing.grey(draw);
  else draw();
  return Math.max(bottom, y + thumbnailSize);
}

/** A label and the lines of its text. */
interface Fact {
  readonly label: string;
  readonly texts: readonly { readonly text: string; readonly size: number; readonly weight?: Weight }[];
}

/** Returns date and place in large letters, then the primary value. */
function factsOf({ occasion, primary, phrases }: PageView): Fact[] {
  const large = (text: string) => ({ text, size: 19, weight: 'bold' as const });
  const small = (text: string) => ({ text, size: 16 });
  const place = occasion?.place;
  return [
    ...(occasion?.day
      ? [{ label: phrases.when, texts: [large(occasion.day), ...(occasion.time ? [small(occasion.time)] : [])] }]
      : []),
    ...(occasion?.more ?? []).map(({ label, value }) => ({ label, texts: [small(value)] })),
    ...(place
      ? [{ label: phrases.where, texts: [...(place.name ? [large(place.name)] : []), small(place.address)] }]
      : []),
    ...(primary ? [{ label: primary.label, texts: [{ text: primary.value, size: 22 }] }] : []),
  ];
}

/** Draws a fact. @returns the y of its bottom edge */
function drawFact(
  drawing: Drawing,
  { view }: Page,
  { label, texts }: Fact,
  y: number,
  place: Omit<TextPlace, 'y'> = inner,
): number {
  drawing.say(label, texts.map(({ text }) => text).join(', '));
  const labelStyle = { size: 13, weight: 'medium', maxLines: longestText, fill: view.colours.label } as const;
  const heading = label === '' ? y : drawing.text(label, { ...place, y }, labelStyle).bottom + 1;
  return texts.reduce((top, { text, ...style }) => {
    const laid = { ...style, maxLines: longestText, fill: view.colours.foreground };
    return drawing.text(text, { ...place, y: top }, laid).bottom;
  }, heading);
}

/**
 * Draws the fields in two columns, or in one row if there are three short fields.
 * @returns the bottom of the last field
 */
function drawFields(drawing: Drawing, page: Page, top: number): number {
  const { front, frontIsShort } = page.view;
  const columns = frontIsShort ? 3 : Math.min(2, front.length);
  const width = (inner.width - 16 * (columns - 1)) / columns;
  let y = top;
  for (let from = 0; from < front.length; from += columns) {
    const above = y + (from === 0 ? 16 : 12);
    const bottoms = front.slice(from, from + columns).map(({ label, value }, index) => {
      const place = { x: inner.x + index * (width + 16), width };
      return drawFact(drawing, page, { label, texts: [{ text: value, size: 16 }] }, above, place);
    });
    y = Math.max(...bottoms);
  }
  return y;
}

/** Draws the barcode. @returns the y of its bottom edge */
function drawCode(drawing: Drawing, { scene, view, isEnded }: Page, y: number): number {
  const { code, codeShape, codeSvg } = view;
  const width = codeShape === 'usual' ? codeSize : inner.width;
  const [, wide = 1, high = 1] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(codeSvg)?.map(Number) ?? [];
  const height = (width * high) / wide;
  const format = shownFormat(scene.template, code);
  const x = card.x + (card.width - width) / 2;
  const mark = drawing.mark;
  drawing.group(isEnded ? 'opacity="0.25"' : '', () => drawing.barcode({ x, y, width, height }, format, code));
  const place = { x: x + 12, y: y + height, width: width - 24, align: 'centre' } as const;
  const { bottom } = drawing.text(code, place, { size: 13, maxLines: longestText, fill: '#000000' });
  const front = drawing.taken(mark);
  const box = { x, y, width, height: bottom + 10 - y };
  drawing.rect(box, '#ffffff', 8);
  drawing.put(front);
  drawing.say('Code', code);
  return box.y + box.height;
}

/**
 * Draws a filled button for the wallet of the reader's phone, an outlined button for the other wallet, and the issuer's
 * actions below. Draws no wallet buttons if the pass has ended.
 * @returns the bottom
 */
function drawActions(drawing: Drawing, { scene, view }: Page, y: number): number {
  const { button, buttonText, text, muted, link, panel, line } = palettes[scene.theme];
  const bottom = view.actions.wallets.reduce((top, { words, main }, index) => {
    const box = { x: card.x, y: top + (index === 0 ? 0 : 12), width: card.width, height: 48 };
    if (main) drawing.rect(box, button, 24);
    else drawing.rect(box, 'none', 24, ` stroke="${muted}"`);
    const place = { ...inner, y: box.y + (48 - 16 * lineHeight) / 2, align: 'centre' } as const;
    drawing.text(words, place, { size: 16, minSize: 12, weight: 'medium', fill: main ? buttonText : text });
    drawing.say(words);
    return box.y + box.height;
  }, y);
  return view.buttons.reduce((top, { words }, index) => {
    const gap = index > 0 ? 12 : bottom > y ? 16 : 0;
    const box = { x: card.x, y: top + gap, width: card.width, height: 48 };
    drawing.rect(box, panel, 12, ` stroke="${line}"`);
    const place = { ...inner, y: box.y + (48 - 16 * lineHeight) / 2, align: 'centre' } as const;
    drawing.text(words, place, { size: 16, minSize: 12, weight: 'medium', fill: link });
    drawing.say(words);
    return box.y + box.height;
  }, bottom);
}
