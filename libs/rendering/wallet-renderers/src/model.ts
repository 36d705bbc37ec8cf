/** The kind of pass a template makes; it decides the layout in every wallet. */
export type RenderType = 'offer' | 'event' | 'generic' | 'membership';

/** The kind of barcode that the passes of a template show their code in. */
export type CodeFormat = 'qr' | 'pdf417' | 'aztec' | 'code128';

/** A place. Latitude in degrees from -90 to 90, longitude from -180 to 180. */
export interface RenderLocation {
  readonly name?: string | null;
  readonly address: string;
  readonly latitude: number;
  readonly longitude: number;
  /** What a lock screen says when the device arrives; `name`, then `address` when there is none. */
  readonly relevantText?: string | null;
}

/** A labelled value. `key` is never shown; it joins a pass's field to the template's field of the same key. */
export interface RenderField {
  readonly key: string;
  readonly label: string;
  readonly value: string;
  /**
   * Of a front field: what a lock screen says when the value has changed, `%@` standing for the new value, which it
   * holds exactly once. Null or empty: nothing. Undefined: `Label: value`. Back fields change silently.
   */
  readonly changeMessage?: string | null;
}

/** Fields of the front (at most 4) and of the back (any number), keys unique over both. */
export interface FieldSets {
  readonly fields: readonly RenderField[];
  readonly backFields: readonly RenderField[];
}

/** What renderers read of a template. The template entity satisfies it as it is. */
export interface RenderTemplate extends FieldSets {
  readonly type: RenderType;
  readonly title: string;
  readonly issuerName: string;
  /** A colour as `parseColour` reads it, like the two below. */
  readonly foregroundColor: string;
  readonly backgroundColor: string;
  /** Null means the foreground colour. */
  readonly labelColor: string | null;
  readonly sharingProhibited: boolean;
  /** `shownFormat` says what a pass of it has, since its code may not fit. */
  readonly codeFormat: CodeFormat;
  readonly locations: readonly RenderLocation[];
  /** When an event starts; null for the other types. */
  readonly startDate: Date | null;
  /** Where an event takes place; null for the other types. */
  readonly location: RenderLocation | null;
  /** Label of each pass's `primaryValue`; set for generic and membership only. */
  readonly primaryLabel: string | null;
  /** Set while the template is archived, which voids all its passes. */
  readonly archivedAt: Date | null;
}

/** What renderers read of a pass. The pass entity satisfies it as it is. Metadata is not part of it, so it cannot be shown. */
export interface RenderPass extends FieldSets {
  /** Opaque, `A-Za-z0-9_-`, unique per pass type identifier, never changed. */
  readonly serialNumber: string;
  /** What the barcode says, 1 to 512 characters. */
  readonly code: string;
  readonly validFrom: Date | null;
  readonly expiresAt: Date | null;
  readonly voidedAt: Date | null;
  /** When its expiry was noted, from which on its package says so too; null until then. */
  readonly expiredAt: Date | null;
  readonly redeemedAt: Date | null;
  /** Set for generic and membership only. */
  readonly primaryValue: string | null;
  readonly locations: readonly RenderLocation[];
}
