import { hexColour, isColour } from '../colour.js';
import { phrasesOf } from '../web/languages.js';
import { palettes } from '../web/page-style.js';
import { type Box, type Drawing, lineHeight } from './drawing.js';
import { type PreviewRelated, type Scene, screenWidth } from './preview-context.js';

/*
 * Draws the related passes of a pass. Apple Wallet and Google Wallet show a group as a row to swipe through, with a dot
 * for each pass. The page lists all of them.
 * https://developer.apple.com/documentation/walletpasses/pass/groupingidentifier
 * https://developers.google.com/wallet/generic/resources/grouping-passes
 */

const dots = { size: 7, gap: 8, above: 14, height: 26, most: 10 };
/** The gap between two passes of a group. */
const between = 8;

/** Returns the passes that the wallet shows in a row beside the drawn pass. */
function mates({ related = [], template, wallet }: Scene): readonly PreviewRelated[] {
  const isShown = wallet === 'google' || (wallet === 'apple' && template.type === 'event');
  return isShown ? related.filter(({ isInGroup }) => isInGroup) : [];
}

/** Returns the height of the dots below a card, 0 without a group. */
export function groupHeight(scene: Scene): number {
  return mates(scene).length > 0 ? dots.height : 0;
}

/**
 * Draws the edge of the next pass of a group beside a card, and the dots below it.
 * @param colour the colour of the dots
 */
export function drawGroup(
  drawing: Drawing,
  scene: Scene,
  card: Box & { readonly radius: number },
  colour: string,
): void {
  const [next, ...rest] = mates(scene);
  if (!next) return;
  const x = card.x + card.width + between;
  // The next pass extends beyond the edge of the screen.
  const beside = { ...card, x, width: screenWidth - x + card.radius };
  drawing.clipped(`M0 0H${screenWidth}V${card.y + card.height}H0z`, () => {
    drawing.rect(beside, colourOf(next), card.radius);
  });
  const count = Math.min(rest.length + 2, dots.most);
  const step = dots.size + dots.gap;
  const first = (screenWidth - count * step + dots.gap) / 2;
  const y = card.y + card.height + dots.above;
  for (let at = 0; at < count; at++) {
    const dot = { x: first + at * step, y, width: dots.size, height: dots.size };
    drawing.rect(dot, colour, dots.size / 2, at === 0 ? '' : ' fill-opacity="0.3"');
  }
  drawing.say(`1 / ${rest.length + 2}`);
}

const row = { padding: 16, height: 48, gap: 12, mark: 40 };
const mostRows = 9;

/**
 * Draws the list of related passes, as the web page of a pass shows it.
 * @returns its bottom
 */
export function drawRelatedList(
  drawing: Drawing,
  { related = [], theme, reading }: Scene,
  place: Pick<Box, 'x' | 'y' | 'width'>,
): number {
  if (related.length === 0) return place.y;
  const { panel, line, text, muted, link } = palettes[theme];
  const inner = { x: place.x + row.padding, width: place.width - 2 * row.padding };
  const heading = phrasesOf(reading.language).bundleTitle;
  const mark = drawing.mark;
  drawing.say(heading);
  const style = { size: 18, weight: 'bold', fill: text } as const;
  const top = drawing.text(heading, { ...inner, y: place.y + row.padding }, style).bottom + row.gap;
  const bottom = related.slice(0, mostRows).reduce((y, each) => {
    const textPlace = { x: inner.x + row.mark + 12, width: inner.width - row.mark - 12 };
    const middle = y + (row.height - (16 + 14) * lineHeight) / 2;
    const detail = [each.issuerName, each.detail].filter(Boolean).join(' · ');
    drawing.rect({ x: inner.x, y: y + 4, width: row.mark, height: row.mark }, colourOf(each), 8);
    drawing.text(each.title, { ...textPlace, y: middle }, { size: 16, weight: 'bold', fill: link });
    drawing.text(detail, { ...textPlace, y: middle + 16 * lineHeight }, { size: 14, fill: muted });
    drawing.say(each.title, detail);
    return y + row.height + row.gap;
  }, top);
  const list = drawing.taken(mark);
  const end = bottom - row.gap + row.padding;
  drawing.rect({ ...place, height: end - place.y }, panel, 12, ` stroke="${line}"`);
  drawing.put(list);
  return end;
}

function colourOf({ backgroundColor }: PreviewRelated): string {
  return isColour(backgroundColor) ? hexColour(backgroundColor) : '#8e8e93';
}
