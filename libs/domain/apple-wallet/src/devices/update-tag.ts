import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * What a device is given with a list of changed passes and sends with its next question: the snapshot that the list was
 * read in. Whatever a snapshot could not see is new to the device, in whatever order transactions commit. As letters,
 * digits, "." and "-" alone, since devices do not encode every other character:
 *
 *   <epoch>.<xmin>.<xmax - xmin>[.<first xip - xmin>-<next xip - the one before>-…][.-<signature>]   numbers in base 36
 *
 * The signature proves that the service itself has handed the tag out. Tags of former versions have none.
 */
const form =
  /^([0-9a-f]{10})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})(?:\.((?:[0-9a-z]{1,11}-)*[0-9a-z]{1,11}))?(?:\.-[0-9a-f]{16})?$/;
const signatureLength = 18;
const snapshotForm = /^(\d+):(\d+):((?:\d+,)*\d*)$/;
const maxLength = 4000;

/** A snapshot of the database, and which history of which database server it belongs to. */
export interface UpdateTag {
  /** 10 lower-case hex digits: transactions of another epoch have nothing to do with it. */
  readonly epoch: string;
  /** As Postgres writes a `pg_snapshot`: `xmin:xmax:xip,xip`. */
  readonly snapshot: string;
}

/**
 * At most 4,000 characters. Where so many transactions were open that it would have more, it leaves out what has
 * happened since the first of them began: the device is then told some changes twice.
 */
export function encodeTag({ epoch, snapshot }: UpdateTag): string {
  const [, low, high, open = ''] = snapshotForm.exec(snapshot) ?? [];
  const [xmin, xmax] = [Number(low), Number(high)];
  const gaps = open === '' ? [] : differences(open.split(',').map(Number), xmin);
  const head = `${epoch}.${xmin.toString(36)}.`;
  const tail = gaps.length > 0 ? `.${gaps.map((gap) => gap.toString(36)).join('-')}` : '';
  const tag = `${head}${(xmax - xmin).toString(36)}${tail}`;
  return tag.length <= maxLength - signatureLength ? tag : `${head}0`;
}

/** Null for what is no tag of ours. A snapshot it returns is one that Postgres can read. */
export function decodeTag(text: string | undefined): UpdateTag | null {
  const parts = text !== undefined && text.length <= maxLength ? form.exec(text) : null;
  if (!parts) return null;
  const [, epoch = '', low = '', span = '', gaps] = parts;
  const xmin = parseInt(low, 36);
  const xmax = xmin + parseInt(span, 36);
  const open = gaps === undefined ? [] : sums(gaps.split('-'), xmin);
  const isAscending = open.every((xid, index) => index === 0 || xid > (open[index - 1] ?? 0));
  if (!isTransaction(xmin) || !isTransaction(xmax) || !isAscending || (open.at(-1) ?? -1) >= xmax) return null;
  return { epoch, snapshot: `${xmin}:${xmax}:${open.join(',')}` };
}

/** Returns a tag with its signature. */
export function signTag(tag: string, secret: string): string {
  return `${tag}.-${signatureOf(tag, secret)}`;
}

/** Tells whether the service has handed the tag out, with its signature. */
export function isSigned(text: string, secret: string): boolean {
  const tag = text.slice(0, -signatureLength);
  return timingSafeEqual(hashOf(text, secret), hashOf(signTag(tag, secret), secret));
}

function signatureOf(tag: string, secret: string): string {
  // No serial number has spaces: no tag comes out as a pass's token, which is made with the same secret.
  return hashOf(JSON.stringify(['update tag', tag]), secret)
    .toString('hex')
    .slice(0, 16);
}

function hashOf(text: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

/** The lower half of a transaction's number is never zero: Postgres takes no such snapshot. */
function isTransaction(xid: number): boolean {
  return Number.isSafeInteger(xid) && xid % 2 ** 32 !== 0;
}

function differences(values: readonly number[], start: number): number[] {
  return values.map((value, index) => value - (values[index - 1] ?? start));
}

function sums(gaps: readonly string[], start: number): number[] {
  let sum = start;
  return gaps.map((gap) => (sum += parseInt(gap, 36)));
}
