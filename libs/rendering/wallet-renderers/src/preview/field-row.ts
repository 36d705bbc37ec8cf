import { layText, type TextStyle } from './laid-text.js';
import { type Drawing, lineHeight, type TextSource } from './drawing.js';

/** A label and its value with their sources; null for a text that no user can change. */
export interface DrawnField {
  readonly label: string;
  readonly value: string;
  readonly labelSource: TextSource | null;
  readonly valueSource: TextSource | null;
}

/** The style of a row of fields, with sizes in points. */
export interface RowStyle {
  readonly labelSize: number;
  readonly labelWeight: 'regular' | 'medium' | 'bold';
  readonly valueSize: number;
  readonly minValueSize: number;
  readonly maxLines: number;
  readonly gap: number;
  readonly labelFill: string;
  readonly valueFill: string;
}

export interface RowPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** The columns of a row and their style. */
export interface RowFit {
  readonly columns: readonly RowPlace[];
  readonly style: RowStyle;
}

/**
 * Lays out a row of fields. Each field gets the width that it needs, and the fields share the rest. If they do not fit,
 * all values shrink. If even the smallest values do not fit, the fields share the width.
 */
export function rowByNeed(fields: readonly DrawnField[], { x, y, width }: RowPlace, style: RowStyle): RowFit {
  const room = width - style.gap * (fields.length - 1);
  const sum = (widths: readonly number[]) => widths.reduce((all, each) => all + each, 0);
  const needs = (size: number) => fields.map((field) => needOf(field, style, size));
  const isRoomy = sum(needs(style.valueSize)) <= room;
  const valueSize = isRoomy ? style.valueSize : style.minValueSize;
  const wanted = needs(valueSize);
  const widths = sum(wanted) <= room ? wanted : sharedOut(wanted, room);
  const between = fields.length > 1 ? (width - sum(widths)) / (fields.length - 1) : 0;
  const columns = widths.map((each, index) => ({
    x: x + sum(widths.slice(0, index)) + between * index,
    y,
    width: each,
  }));
  return { columns, style: { ...style, valueSize } };
}

/**
 * Distributes the width. A field that needs less than an equal part gets what it needs. The other fields share the
 * rest.
 */
function sharedOut(needs: readonly number[], width: number): number[] {
  let left = width;
  let open = needs.length;
  const widths = new Map<number, number>();
  const byNeed = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need);
  for (const { need, index } of byNeed) {
    const given = Math.min(need, left / open);
    widths.set(index, given);
    left -= given;
    open--;
  }
  return needs.map((_, index) => widths.get(index) ?? 0);
}

/** Returns the full width of a field. */
function needOf({ label, value }: DrawnField, { labelSize, labelWeight }: RowStyle, valueSize: number): number {
  const line = (text: string, style: TextStyle) => layText(text, Infinity, style).width;
  const needed = Math.max(line(label, { size: labelSize, weight: labelWeight }), line(value, { size: valueSize }));
  return Math.ceil(needed);
}

/** Draws fields, each label above its value. @returns the bottom of the row */
export function drawRow(
  drawing: Drawing,
  fields: readonly DrawnField[],
  columns: readonly RowPlace[],
  y: number,
  style: RowStyle,
): number {
  const { labelSize, labelWeight, valueSize, minValueSize, maxLines, labelFill, valueFill } = style;
  const bottoms = fields.map((field, index) => {
    const { x, width } = columns[index] ?? { x: 0, width: 0 };
    drawing.say(field.label, field.value);
    const labelStyle = { size: labelSize, weight: labelWeight, fill: labelFill };
    drawing.text(field.label, { x, y, width }, labelStyle, field.labelSource);
    const top = y + labelSize * lineHeight + 1;
    const valueStyle = { size: valueSize, minSize: minValueSize, maxLines, fill: valueFill };
    return drawing.text(field.value, { x, y: top, width }, valueStyle, field.valueSource).bottom;
  });
  return Math.max(y, ...bottoms);
}
