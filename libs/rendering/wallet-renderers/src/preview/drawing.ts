import type { CodeFormat } from '../model.js';
import { barcodeSvg } from '../web/barcode.js';
import { layText, type LaidText, type TextStyle } from './laid-text.js';
import { screenWidth } from './preview-context.js';
import type { PreviewImage } from './preview-image.js';
import { Typeface } from './typeface.js';

/** A rectangle in points, from the top left corner. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The position of a text; `y` is its top. Lines start at the left or right, by the direction of the drawing or else of
 * the text.
 */
export interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly align?: 'start' | 'centre';
}

/** The document and JSON path of a text. */
export interface TextSource {
  readonly in: 'template' | 'pass';
  readonly path: string;
  /** The original text, if the drawing shows another text. */
  readonly text?: string;
}

/** A text that a wallet truncates. */
export interface CutText extends TextSource {
  readonly text: string;
  /** The remaining text with its ellipsis. */
  readonly shown: string;
}

export const lineHeight = 1.22;
const baseline = 0.95;
const fontFamily = "Roboto, 'Noto Sans', system-ui, sans-serif";

/** Builds a self-contained SVG picture. Escapes all caller text, or draws it as outlines. */
export class Drawing {
  readonly cuts: CutText[] = [];
  private readonly parts: string[] = [];
  private readonly spoken: string[] = [];
  private clips = 0;
  private isGreyReady = false;

  /**
   * @param id a prefix for ids, because a page may contain several pictures
   * @param direction `rtl` mirrors every position and starts all texts at the right
   */
  constructor(
    private readonly id: string,
    private readonly direction?: 'ltr' | 'rtl',
  ) {}

  rect(box: Box, fill: string, radius = 0, more = ''): void {
    const { x, y, width, height } = this.placed(box);
    const corner = radius > 0 ? ` rx="${n(radius)}"` : '';
    this.parts.push(
      `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"${corner} fill="${fill}"${more}/>`,
    );
  }

  path(data: string, fill: string, more = ''): void {
    this.parts.push(`<path d="${data}" fill="${fill}"${more}/>`);
  }

  /**
   * Draws an image that fills its box or fits into the box. Clips the image to rounded corners, or to the shape of
   * `clipped`.
   */
  image(box: Box, image: PreviewImage, { fit = 'cover', radius = 0 }: { fit?: ImageFit; radius?: number } = {}): void {
    const { x, y, width, height } = this.placed(box);
    const start = this.direction === 'rtl' ? 'xMaxYMid meet' : 'xMinYMid meet';
    const place = { cover: 'xMidYMid slice', top: 'xMidYMin meet', start, end: 'xMaxYMin meet' }[fit];
    const data = Buffer.from(image.bytes).toString('base64');
    const draw = () =>
      this.parts.push(
        `<image x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" preserveAspectRatio="${place}" href="data:${image.mediaType};base64,${data}"/>`,
      );
    if (radius === 0) draw();
    else this.clipped(roundedRect(this.placed(box), radius), draw);
  }

  /** Draws only inside a shape. @param shape path data */
  clipped(shape: string, draw: () => void): void {
    const id = `${this.id}-${++this.clips}`;
    this.parts.push(
      `<clipPath id="${id}"><path clip-rule="evenodd" d="${shape}"/></clipPath><g clip-path="url(#${id})">`,
    );
    draw();
    this.parts.push('</g>');
  }

  grey(draw: () => void): void {
    const id = `${this.id}-grey`;
    const filter = `<filter id="${id}" color-interpolation-filters="sRGB"><feColorMatrix type="saturate" values="0"/></filter>`;
    if (!this.isGreyReady) this.parts.push(filter);
    this.isGreyReady = true;
    this.group(`filter="url(#${id})"`, draw);
  }

  group(attributes: string, draw: () => void): void {
    this.parts.push(attributes === '' ? '<g>' : `<g ${attributes}>`);
    draw();
    this.parts.push('</g>');
  }

  get mark(): number {
    return this.parts.length;
  }

  /** Removes and returns everything drawn since `mark`, so that the caller can draw its background first. */
  taken(mark: number): readonly string[] {
    return this.parts.splice(mark);
  }

  put(parts: readonly string[]): void {
    this.parts.push(...parts);
  }

  /** Draws a barcode with its quiet zone, centred and as large as its box allows. */
  barcode(box: Box, format: CodeFormat, text: string): void {
    const { x, y, width, height } = this.placed(box);
    const place = `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" `;
    this.parts.push(barcodeSvg(format, text).replace('<svg ', `<svg ${place}`));
  }

  /**
   * Draws a text at its position. Adds a cut text to the list of cut texts, if it has a source.
   * @returns the written text and its bottom
   */
  text(
    text: string,
    place: TextPlace,
    style: TextStyle & { readonly fill: string },
    source: TextSource | null = null,
  ): LaidText & { readonly bottom: number } {
    const laid = layText(text, place.width, style);
    const height = laid.size * lineHeight;
    laid.lines.forEach((line, index) => {
      this.line(line, laid, this.placed({ ...place, y: place.y + index * height }), style);
    });
    if (source && laid.isCut) this.cuts.push({ text, ...source, shown: laid.lines.join(' ') });
    return { ...laid, bottom: place.y + laid.lines.length * height };
  }

  /** Adds words to the description for screen readers. */
  say(...words: readonly (string | null)[]): void {
    const sentence = words.filter(Boolean).join(': ');
    if (sentence !== '') this.spoken.push(sentence.slice(0, 600));
  }

  /** Returns the picture as SVG. @param size in points */
  svg(title: string, { width, height }: { readonly width: number; readonly height: number }): string {
    const described = `<title id="${this.id}-t">${escaped(title)}</title><desc id="${this.id}-d">${escaped(this.spoken.join('\n'))}</desc>`;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" ` +
      `role="img" aria-labelledby="${this.id}-t ${this.id}-d">${described}${this.parts.join('')}</svg>`
    );
  }

  /** Mirrors a position if the drawing runs from right to left. Positions are measured from the left. */
  placed<Place extends { readonly x: number; readonly width: number }>(place: Place): Place {
    return this.direction === 'rtl' ? { ...place, x: screenWidth - place.x - place.width } : place;
  }

  private line(line: string, laid: LaidText, place: TextPlace, { fill, weight = 'regular' }: StyledText): void {
    const { size, isOutlined, isRightToLeft } = laid;
    const face = Typeface.of(weight);
    const atRight = this.direction ? this.direction === 'rtl' : isRightToLeft;
    const align = place.align === 'centre' ? 0.5 : Number(atRight);
    if (isOutlined) {
      const left = place.x + (place.width - face.width(line) * size) * align;
      const data = face.outline(line, left, place.y + size * baseline, size);
      if (data !== '') this.path(data, fill);
      return;
    }
    // Set `textLength`, because an unknown font of the viewer could exceed the available width.
    const bold = { regular: 400, medium: 500, bold: 700 }[weight];
    const anchor = ['start', 'middle', 'end'][align * 2];
    const side = isRightToLeft ? { start: 'end', middle: 'middle', end: 'start' }[anchor ?? 'start'] : anchor;
    const direction = isRightToLeft ? ' direction="rtl"' : '';
    this.parts.push(
      `<svg x="${n(place.x)}" y="${n(place.y)}" width="${n(place.width)}" height="${n(size * 1.35)}" overflow="hidden">` +
        `<text x="${n(place.width * align)}" y="${n(size * baseline)}" font-family="${fontFamily}" font-size="${n(size)}" ` +
        `font-weight="${bold}" text-anchor="${side}"${direction} fill="${fill}">${escaped(line)}</text></svg>`,
    );
  }
}

type StyledText = TextStyle & { readonly fill: string };
type ImageFit = 'cover' | 'top' | 'start' | 'end';

/** Returns the outline of a box with round corners as path data. */
export function roundedRect({ x, y, width, height }: Box, radius: number): string {
  const r = Math.min(radius, width / 2, height / 2);
  const arc = (toX: number, toY: number) => `a${n(r)} ${n(r)} 0 0 1 ${n(toX)} ${n(toY)}`;
  return (
    `M${n(x + r)} ${n(y)}h${n(width - 2 * r)}${arc(r, r)}v${n(height - 2 * r)}${arc(-r, r)}` +
    `h${n(2 * r - width)}${arc(-r, -r)}v${n(2 * r - height)}${arc(r, -r)}z`
  );
}

/** Formats a number for a picture. */
export function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for an element or an attribute and drops characters that XML does not allow. */
export function escaped(text: string): string {
  return text
    .replace(/[\p{Cs}\ufffe\uffff]|[^\P{Cc}\n\t]/gu, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
