/** Google's name for a kind of pass: offer, event ticket, generic pass or loyalty membership. */
export type GoogleVertical = 'offer' | 'eventTicket' | 'generic' | 'loyalty';

/** A class, which many passes share, or an object, which belongs to one pass. */
export type GooglePartName = 'class' | 'object';

/** Returns the schema name of a class or object, for example `OfferClass`. */
export function schemaName(vertical: GoogleVertical, part: GooglePartName): string {
  return [vertical, part].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
