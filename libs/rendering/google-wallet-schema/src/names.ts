/** What Google calls the kinds of passes: an offer, an event ticket, a generic pass, a loyalty membership. */
export type GoogleVertical = 'offer' | 'eventTicket' | 'generic' | 'loyalty';

/** What passes share, and one pass. */
export type GooglePartName = 'class' | 'object';

/** Name of the schema of a vertical's class or object: `OfferClass`. */
export function schemaName(vertical: GoogleVertical, part: GooglePartName): string {
  return [vertical, part].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
