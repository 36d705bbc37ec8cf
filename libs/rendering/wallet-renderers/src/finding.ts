import type { FieldSets, RenderAction, RenderLocation, RenderTemplate, Translations } from './model.js';
import type { LocalisedPurpose } from './translations/localised-images.js';

/** An error prevents saving. A warning means that something fails silently on a phone. An info is only good to know. */
export type Severity = 'error' | 'warning' | 'info';

/** A problem that a rule has found. */
export interface Finding {
  /** The rule's id in kebab-case. The meaning of an id never changes. See `lintRules`. */
  readonly rule: string;
  /** The document that contains `path`: the template, the pass, or the settings of the installation. */
  readonly in: 'template' | 'pass' | 'service';
  /**
   * The JSON path of the wrong value, with the property names of the API: `$.fields[2].value`; `$` for the whole
   * document.
   */
  readonly path: string;
  readonly severity: Severity;
  /** The wallet in which the error is visible: Apple Wallet, Google Wallet, the web view, or all of them. */
  readonly wallet: 'walletA' | 'walletB' | 'web' | 'all';
  /** A description of the problem with the value at `path`. */
  readonly message: string;
  /** The remedy. */
  readonly fix: string;
}

/** A rule's finding about one value. The rule supplies the other properties of the finding. */
export interface Problem {
  /** The property path without `$.`: `fields[2].value`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
  /** The fix, if it differs from the rule's. */
  readonly fix?: string;
}

/** The properties of a pass that the template lint reads. The pass may be stored, unsaved, or a sample. */
export interface ExaminedPass extends FieldSets {
  /** The code; null if the service has not generated it yet. */
  readonly code: string | null;
  readonly validFrom: Date | null;
  readonly expiresAt: Date | null;
  readonly primaryValue: string | null;
  readonly locations: readonly RenderLocation[];
  /** The pass's own actions. Null means the actions of its template. */
  readonly actions?: readonly RenderAction[] | null;
  /** The group in which wallets show the pass, if any. */
  readonly group?: { readonly id: string } | null;
  /** The address of the pass's own thumbnail, if known. */
  readonly thumbnailUrl?: string | null;
  /** The language of the pass's holder, if known. */
  readonly language?: string | null;
  /** The pass's own texts in other languages. */
  readonly translations?: Translations | null;
}

/** A small copy of an image, used to measure its colours, in the shape that the wallet shows. */
export interface ExaminedPixels {
  /** The width of the copy in pixels. `height` is in pixels too. */
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, row by row. */
  readonly rgba: Uint8Array;
}

/** The size of an image's source in pixels, null if it is unknown, or `missing` if there is no image at its address. */
export type ExaminedImage =
  { readonly width: number; readonly height: number; readonly pixels?: ExaminedPixels | null } | 'missing' | null;

/** The examined images by purpose: those of a template, and a pass's own thumbnail. Omits missing images. */
export interface ExaminedImages extends Readonly<
  Partial<Record<'icon' | 'logo' | 'banner' | 'background' | 'thumbnail' | 'artwork' | 'passThumbnail', ExaminedImage>>
> {
  /** The images of a template in other languages, by BCP 47 tag. */
  readonly localised?: Readonly<Record<string, Readonly<Partial<Record<LocalisedPurpose, ExaminedImage>>>>>;
}

/** Facts that only some rules need. Without a fact, these rules find no problem. */
export interface LintContext {
  readonly now?: Date;
  /** The language of templates that name no language, as a BCP 47 tag. Default: `en`. */
  readonly language?: string;
  /** The base of the PassKit web service. */
  readonly webServiceUrl?: string;
  readonly authenticationToken?: string;
  /** The errors with which the API's validation rejects a draft. Each starts with the name of the property. */
  readonly rejected?: readonly { readonly in: 'template' | 'pass'; readonly sentence: string }[];
}

/** All input of the rules except the template and the pass. `images` is null if nothing is known about them. */
export interface Facts extends LintContext {
  readonly images: ExaminedImages | null;
}

/** A check of the template, of a pass, or of the installation. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  readonly wallet: Finding['wallet'];
  /** A short title of the error. */
  readonly title: string;
  /** The consequence, as a sentence. */
  readonly why: string;
  /** The fix as a clause, without a capital letter and a full stop. */
  readonly fix: string;
  readonly template?: (template: RenderTemplate, facts: Facts) => readonly Problem[];
  /** Finds errors of the pass, not of its template. */
  readonly pass?: (pass: ExaminedPass, template: RenderTemplate, facts: Facts) => readonly Problem[];
  readonly service?: (facts: Facts) => readonly Problem[];
}
