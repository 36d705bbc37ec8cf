import type { FieldSets, RenderLocation, RenderTemplate } from '../model.js';

/** An error is refused when template or pass are saved; a warning fails silently on a phone; an info is worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** What a rule found. */
export interface Finding {
  /** The rule's id, kebab-case; it keeps its meaning for ever. See `doctorRules`. */
  readonly rule: string;
  /** Which document `path` is in: the template's or the pass's, or the settings of the installation. */
  readonly in: 'template' | 'pass' | 'service';
  /** JSON path of the value at fault in the words of the interface: `$.fields[2].value`; `$` for the whole. */
  readonly path: string;
  readonly severity: Severity;
  /** Where it shows: Apple Wallet, Google Wallet, the web view, or all of them. */
  readonly wallet: 'walletA' | 'walletB' | 'web' | 'all';
  /** What is wrong, with the value at fault. */
  readonly message: string;
  /** What would be right. */
  readonly fix: string;
}

/** What a rule says about one value; the rest of a finding stands in the rule. */
export interface Fault {
  /** Property path without `$.`: `fields[2].value`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** Where it differs from the rule's. */
  readonly fix?: string;
}

/** What the doctor reads of a pass: a stored one, one about to be saved, or a sample. Entities satisfy it as they are. */
export interface ExaminedPass extends FieldSets {
  /** Null when the service is to choose it. */
  readonly code: string | null;
  readonly validFrom: Date | null;
  readonly expiresAt: Date | null;
  readonly primaryValue: string | null;
  readonly locations: readonly RenderLocation[];
  /** Address of its own thumbnail, where it is known. */
  readonly thumbnailUrl?: string | null;
}

/** What is known of an image: the size of its source in pixels, null when unknown; or that there is none at its address. */
export type ExaminedImage = { readonly width: number; readonly height: number } | 'missing' | null;

/** A template's images by purpose, and a pass's own thumbnail; what is left out, the template does not name. */
export type ExaminedImages = Readonly<
  Partial<Record<'icon' | 'logo' | 'banner' | 'background' | 'thumbnail' | 'passThumbnail', ExaminedImage>>
>;

/** What some rules need besides; a rule whose fact is left out finds nothing. */
export interface DoctorContext {
  readonly now?: Date;
  /** Base of the PassKit web service. */
  readonly webServiceUrl?: string;
  readonly authenticationToken?: string;
  /** Properties of a draft that a save would refuse for their form, as sentences that begin with the property. */
  readonly refused?: readonly { readonly in: 'template' | 'pass'; readonly sentence: string }[];
}

/** All that rules are given besides template and pass. `images` is null when nothing is known of them. */
export interface Facts extends DoctorContext {
  readonly images: ExaminedImages | null;
}

/** One thing the doctor looks for, in the template, in a pass of it, or in the installation. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  readonly wallet: Finding['wallet'];
  /** What is wrong, in a few words. */
  readonly title: string;
  /** What happens then, as a sentence. */
  readonly why: string;
  /** What would be right: a clause without a capital or a full stop. */
  readonly fix: string;
  readonly template?: (template: RenderTemplate, facts: Facts) => readonly Fault[];
  /** Looks for what the pass is to blame for, not its template. */
  readonly pass?: (pass: ExaminedPass, template: RenderTemplate, facts: Facts) => readonly Fault[];
  readonly service?: (facts: Facts) => readonly Fault[];
}
