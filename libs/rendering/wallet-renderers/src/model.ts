/** The kind of pass that a template produces. It determines the layout in every wallet. */
export type RenderType = 'offer' | 'event' | 'generic' | 'membership';

/** The barcode format of a template's passes. */
export type CodeFormat = 'qr' | 'pdf417' | 'aztec' | 'code128' | 'code39' | 'codabar' | 'ean13' | 'itf';

/** The purpose of an action. It determines the icon and label of the button in every wallet. */
export type ActionType =
  | 'viewSchedule'
  | 'watchTrailer'
  | 'listenToMusic'
  | 'call'
  | 'place'
  | 'addToBalance'
  | 'order'
  | 'shop'
  | 'membershipBenefits'
  | 'bookAppointment'
  | 'bookCar'
  | 'bookFlight'
  | 'bookStay'
  | 'viewOffersRewards';

/**
 * A button beside the pass. It opens `url`: `tel:+47…` for a `call`, the address of a place in Apple Maps for a
 * `place`, and an https address for every other type.
 */
export interface RenderAction {
  readonly type: ActionType;
  readonly url: string;
}

/** A place. The latitude is from -90 to 90 degrees, the longitude from -180 to 180. */
export interface RenderLocation {
  readonly name?: string | null;
  readonly address: string;
  readonly latitude: number;
  readonly longitude: number;
  /** The text that the lock screen shows near the place. Default: `name`, or `address` if there is no name. */
  readonly relevantText?: string | null;
}

/** A labelled value. `key` is never shown; it connects a pass's field with the template's field of the same key. */
export interface RenderField {
  readonly key: string;
  readonly label: string;
  readonly value: string;
  /**
   * The text on the lock screen when the value of a front field changes, with `%@` exactly once for the new value. Null
   * or empty: the change is silent. Undefined: `Label: value`.
   */
  readonly changeMessage?: string | null;
  /**
   * The value in other languages by BCP 47 tag, for a field that the service adds itself. Translations of the pass and
   * its template take precedence.
   */
  readonly valueIn?: Readonly<Record<string, string>>;
}

/**
 * Texts in other languages. The outer keys are BCP 47 tags in their usual spelling, the inner keys are names of texts,
 * such as `title` or `fields.points.label`. See `textsOfTemplate` and `textsOfPass` for the inner keys.
 */
export type Translations = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A message that was sent to the holder of a pass. */
export interface RenderMessage {
  readonly title: string | null;
  readonly text: string;
  /** The same message in other languages, by BCP 47 tag. */
  readonly translations?: MessageTranslations | null;
  /** An ISO 8601 time. */
  readonly sentAt: string;
}

/** A message in other languages, by BCP 47 tag. If a language has no title, its readers see the message's own title. */
export type MessageTranslations = Readonly<Record<string, { readonly title?: string; readonly text: string }>>;

/** The fields of the front (at most 4) and of the back (any number), with keys that are unique over both. */
export interface FieldSets {
  readonly fields: readonly RenderField[];
  readonly backFields: readonly RenderField[];
}

/** The part of a template that renderers read. Template entities have all these properties. */
export interface RenderTemplate extends FieldSets {
  readonly type: RenderType;
  /** The BCP 47 tag of the language of the template's own texts; null for the language of the installation. */
  readonly language?: string | null;
  /** The texts in other languages. Null if the template never had translations. */
  readonly translations?: Translations | null;
  readonly title: string;
  readonly issuerName: string;
  /** A colour in the form that `parseColour` reads. The two other colours have this form too. */
  readonly foregroundColor: string;
  readonly backgroundColor: string;
  /** The colour of labels; null means the foreground colour. */
  readonly labelColor: string | null;
  readonly sharingProhibited: boolean;
  /** The preferred format. If it cannot hold the code of a pass, `shownFormat` returns another format. */
  readonly codeFormat: CodeFormat;
  readonly locations: readonly RenderLocation[];
  /** The start of an event; null for other types. If `startDay` is set, the first moment of that day. */
  readonly startDate: Date | null;
  /** The day on which an event starts, `2026-11-21`, if its start has no time of day; otherwise null. */
  readonly startDay?: string | null;
  /** The end of an event, which is later than its start; null if the end is not set. */
  readonly endDate?: Date | null;
  /** The time when the doors of an event open, which is not later than its start; null if the time is not set. */
  readonly doorsOpen?: Date | null;
  /** The place of an event; null for the other types. */
  readonly location: RenderLocation | null;
  /** The label of each pass's `primaryValue`; set for generic and membership only. */
  readonly primaryLabel: string | null;
  /** The actions, at most two, in the order of their importance. */
  readonly actions?: readonly RenderAction[] | null;
  /** Set while the template is archived, which voids all its passes. */
  readonly archivedAt: Date | null;
}

/**
 * The part of a pass that renderers read. It contains no metadata, so no wallet can show metadata. Pass entities have
 * all these properties.
 */
export interface RenderPass extends FieldSets {
  /** The serial number is made of `A-Za-z0-9_-`, unique per pass type identifier, and constant. */
  readonly serialNumber: string;
  /** The content of the barcode, 1 to 512 characters. */
  readonly code: string;
  readonly validFrom: Date | null;
  readonly expiresAt: Date | null;
  readonly voidedAt: Date | null;
  /** The time at which the service recorded the expiry; null before. Afterwards, the package is marked as voided. */
  readonly expiredAt: Date | null;
  readonly redeemedAt: Date | null;
  /** Set for generic and membership only. */
  readonly primaryValue: string | null;
  readonly locations: readonly RenderLocation[];
  /** The BCP 47 tag of the holder's language, if known. */
  readonly language?: string | null;
  /** The pass's own texts in other languages. Null if the pass never had translations. */
  readonly translations?: Translations | null;
  /**
   * The messages to the holder, newest first. An empty list if the pass is prepared for its first message; null if it
   * is not prepared.
   */
  readonly messages?: readonly RenderMessage[] | null;
  /**
   * The pass's own actions, which replace those of its template; an empty list shows no actions. Null or undefined: the
   * template's actions.
   */
  readonly actions?: readonly RenderAction[] | null;
}
