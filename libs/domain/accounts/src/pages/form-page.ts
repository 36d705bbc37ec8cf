import { hashOf, type WebPage } from '@passwright/wallet-renderers';
import { Eta } from 'eta';
import { formScript } from './form-script.js';
import { formSheet } from './form-style.js';
import { formTemplate } from './form-template.js';

/** An input field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  /** @see https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill-field */
  readonly autocomplete: 'username' | 'new-password' | 'current-password' | 'name' | 'email';
  /** Maximum number of characters. */
  readonly max: number;
  readonly min?: number;
  readonly hint?: string;
  readonly value?: string;
  /** A message that says what is wrong with the value and what would be right. */
  readonly error?: string;
  /** True if the field is shown to the user and to password managers but cannot be edited. */
  readonly readOnly?: boolean;
}

/** Text of a page. A `strong` part is a name or an e-mail address, which has its own text direction. */
export type PageText = string | readonly (string | { readonly strong: string })[];

/** The content of a page. All of it is plain text; HTML in it is escaped. */
export interface FormPageContent {
  /** Public address of the service. */
  readonly baseUrl: string;
  /** The name of the account, shown above the page. Default: the host. */
  readonly brand?: string;
  readonly heading: string;
  readonly state?: { readonly kind: 'good' | 'waiting' | 'ended'; readonly text: string };
  readonly paragraphs?: readonly PageText[];
  readonly form?: {
    /** A relative URL. Default: the URL of the page itself. */
    readonly action?: string;
    readonly hidden?: Readonly<Record<string, string>>;
    readonly fields: readonly FormField[];
    readonly button: string;
  };
  /** Origins to which the form may redirect, in addition to the page's own. */
  readonly formTargets?: readonly string[];
  /** The next page, as a button. */
  readonly next?: { readonly text: string; readonly href: string };
  /** Links; `href` is relative. */
  readonly links?: readonly { readonly text: string; readonly href: string }[];
  /** Notes in small print. */
  readonly notes?: readonly string[];
}

const eta = new Eta({ autoEscape: true });
const template = eta.compile(formTemplate);
const [sheetHash, scriptHash] = [hashOf(formSheet), hashOf(formScript)];

/**
 * Builds a page with or without a form. The page needs no script, loads nothing, and sends its form only to its own
 * origin. Errors appear beside their fields, and the first field with an error has the focus.
 */
export function formPage({
  baseUrl,
  brand,
  heading,
  state,
  paragraphs = [],
  form,
  formTargets = [],
  next,
  links = [],
  notes = [],
}: FormPageContent): WebPage {
  const invalid = form?.fields.find(({ error }) => error !== undefined);
  const hasPassword = form?.fields.some(({ type }) => type === 'password') === true;
  const { host } = new URL(baseUrl);
  const html = eta.render(template, {
    title: `${invalid || state?.kind === 'ended' ? 'Error: ' : ''}${heading} – ${host}`,
    place: host,
    brand,
    mark: [...(brand ?? host)][0]?.toUpperCase(),
    heading,
    state,
    paragraphs: paragraphs.map((text) => (typeof text === 'string' ? [text] : text).map(partOf)),
    form: form && {
      action: form.action,
      button: form.button,
      hidden: Object.entries(form.hidden ?? {}),
      fields: form.fields.map((field) => ({ ...shown(field), focus: field === invalid })),
    },
    next,
    links,
    notes,
    sheet: formSheet,
    script: hasPassword ? formScript : null,
  });
  const policy = policyFor(formTargets);
  return { html, contentSecurityPolicy: hasPassword ? `${policy}; script-src ${scriptHash}` : policy };
}

const policyFor = (formTargets: readonly string[]) =>
  [
    "default-src 'none'",
    `style-src ${sheetHash}`,
    'img-src data:',
    "base-uri 'none'",
    ["form-action 'self'", ...formTargets].join(' '),
    "frame-ancestors 'none'",
  ].join('; ');

function partOf(part: string | { readonly strong: string }): { text: string; strong: boolean } {
  return typeof part === 'string' ? { text: part, strong: false } : { text: part.strong, strong: true };
}

function shown(field: FormField): object {
  const { name, hint, error, value = '', type } = field;
  const describedBy = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  return { ...field, value, describedBy, capitalize: type === 'text' ? 'words' : 'none' };
}
