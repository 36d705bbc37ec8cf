import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * The tag that a device gets with a list of changed passes and sends with its next request. It encodes the snapshot in
 * which the list was read. Every change that was not visible in the snapshot is new to the device, even if its
 * transaction began earlier. A tag contains only letters, digits, "." and "-", because devices send some other
 * characters unencoded:
 *
 *   <epoch>.<xmin>.<xmax - xmin>[.<first xip - xmin>-<next xip - the one before>-…][.-<signature>]   numbers in base 36
 *
 * The signature proves that the service issued the tag. Tags of older versions have no signature.
 */
const form =
  /^([0-9a-f]{10})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})(?:\.((?:[0-9a-z]{1,11}-)*[0-9a-z]{1,11}))?(?:\.-[0-9a-f]{16})?$/;
const signatureLength = 18;
const snapshotForm = /^(\d+):(\d+):((?:\d+,)*\d*)$/;
const maxLength = 4000;

/** A database snapshot and the server history to which it belongs. */
export interface UpdateTag {
  /** 10 lower-case hex digits. Transaction numbers of different epochs cannot be compared. */
  readonly epoch: string;
  /** A Postgres `pg_snapshot`: `xmin:xmax:xip,xip`. */
  readonly snapshot: string;
}

/**
 * Encodes a tag of at most 4,000 characters. If too many transactions are open, omits all changes since the first of
 * them began, so that the device gets some changes twice.
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

/** Decodes a tag. Returns null if the service cannot have issued the tag, or if Postgres cannot read its snapshot. */
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

/** Returns true if the tag has a valid signature of the service. */
export function isSigned(text: string, secret: string): boolean {
  const tag = text.slice(0, -signatureLength);
  return timingSafeEqual(hashOf(text, secret), hashOf(signTag(tag, secret), secret));
}

function signatureOf(tag: string, secret: string): string {
  // No signature can equal the token of a pass, which uses the same secret: serial numbers contain no spaces, but this
  // text does.
  return hashOf(JSON.stringify(['update tag', tag]), secret)
    .toString('hex')
    .slice(0, 16);
}

function hashOf(text: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

/** Returns true for a valid transaction number. Postgres rejects a snapshot with a number whose lower half is zero. */
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
