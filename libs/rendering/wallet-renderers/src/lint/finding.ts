import type { FieldSets, RenderLocation, RenderTemplate } from '../model.js';

/** An error rejects the save of template or pass, a warning fails silently on a phone, an info is good to know. */
export type Severity = 'error' | 'warning' | 'info';

/** A fault that a rule has found. */
export interface Finding {
  /** The rule's id in kebab-case, which never changes its meaning. See `lintRules`. */
  readonly rule: string;
  /** The document of `path`: the template, the pass, or the settings of the installation. */
  readonly in: 'template' | 'pass' | 'service';
  /** The JSON path of the value at fault with the names of the API: `$.fields[2].value`; `$` for the whole. */
  readonly path: string;
  readonly severity: Severity;
  /** The wallet that shows the fault: Apple Wallet, Google Wallet, the web view, or all of them. */
  readonly wallet: 'walletA' | 'walletB' | 'web' | 'all';
  /** The fault, with the value. */
  readonly message: string;
  /** The fix. */
  readonly fix: string;
}

/** A rule's finding about one value. The rule supplies the rest. */
export interface Fault {
  /** The property path without `$.`: `fields[2].value`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** The fix, if it differs from the rule's. */
  readonly fix?: string;
}

/**
 * The part of a pass that the template lint reads: a stored pass, a pass about to be saved, or a sample. Entities
 * satisfy it.
 */
export interface ExaminedPass extends FieldSets {
  /** Null when the service will choose the code. */
  readonly code: string | null;
  readonly validFrom: Date | null;
  readonly expiresAt: Date | null;
  readonly primaryValue: string | null;
  readonly locations: readonly RenderLocation[];
  /** The address of its own thumbnail, if known. */
  readonly thumbnailUrl?: string | null;
}

/**
 * The known facts about an image: the pixel size of its source, null when unknown, or `missing` when its address has no
 * image.
 */
export type ExaminedImage = { readonly width: number; readonly height: number } | 'missing' | null;

/** A template's images by purpose, and a pass's own thumbnail. The template does not name omitted ones. */
export type ExaminedImages = Readonly<
  Partial<Record<'icon' | 'logo' | 'banner' | 'background' | 'thumbnail' | 'passThumbnail', ExaminedImage>>
>;

/** Additional facts for some rules. A rule without its fact finds nothing. */
export interface LintContext {
  readonly now?: Date;
  /** The base of the PassKit web service. */
  readonly webServiceUrl?: string;
  readonly authenticationToken?: string;
  /** Properties of a draft with an invalid form, as sentences that start with the property. */
  readonly refused?: readonly { readonly in: 'template' | 'pass'; readonly sentence: string }[];
}

/** All facts for rules besides template and pass. `images` is null when nothing is known about them. */
export interface Facts extends LintContext {
  readonly images: ExaminedImages | null;
}

/** A check of the template, of a pass, or of the installation. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  readonly wallet: Finding['wallet'];
  /** The fault in a few words. */
  readonly title: string;
  /** The consequence, as a sentence. */
  readonly why: string;
  /** The fix as a clause without a capital or a full stop. */
  readonly fix: string;
  readonly template?: (template: RenderTemplate, facts: Facts) => readonly Fault[];
  /** Finds faults of the pass, not of its template. */
  readonly pass?: (pass: ExaminedPass, template: RenderTemplate, facts: Facts) => readonly Fault[];
  readonly service?: (facts: Facts) => readonly Fault[];
}
