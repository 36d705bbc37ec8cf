import { type AddAction, addActions, type AddContext, walletActions } from './add-actions.js';
import { bundleStyle, bundleTemplate } from './bundle-template.js';
import { directionOf, phrasesOf } from './languages.js';
import { eta, type WebPage } from './page.js';
import type { PassSummary } from './page-context.js';
import { contentSecurityPolicy, hashOf } from './page-policy.js';
import { colourRule } from './page-style.js';

/**
 * A pass on the page of a bundle: its texts, and its absolute http or https addresses. Only a pass that has not ended
 * can be added.
 */
export interface BundledPass extends PassSummary {
  /** The same addresses as on the pass's own page. */
  readonly urls: AddContext['urls'];
}

/** The content of a bundle's page. */
export interface BundlePageContext extends AddContext {
  readonly passes: readonly BundledPass[];
  /** The addresses at which wallets add all passes at once, and the address of this page. */
  readonly urls: AddContext['urls'];
  /** True if the reader's browser opens a bundle of Apple packages. Default: false. */
  readonly opensBundles?: boolean;
}

const template = eta.compile(bundleTemplate);
const styleHash = hashOf(bundleStyle);

/**
 * Builds the page of a bundle. A reader adds the passes one by one, or all at once if the wallet supports it. The page
 * uses the reader's language, offers the reader's own wallet first, and works without scripts. All text is escaped, see
 * `webPage`.
 */
export function bundlePage(context: BundlePageContext): WebPage {
  const { passes, reader, urls } = context;
  const phrases = phrasesOf(reader.language);
  const good = passes.filter(({ ended }) => ended === null);
  const actions = addActions(context, good.length > 0);
  const all = { apple: phrases.addAllToApple, google: phrases.addAllToGoogle };
  const colours = colourSheet(passes);
  const view = {
    language: reader.language,
    direction: directionOf(reader.language),
    phrases,
    style: bundleStyle,
    colours,
    passes: passes.map((pass) => ({ ...pass, wallets: walletsOf(pass, context) })),
    actions,
    webUrl: urls.web,
    all: good.length > 1 ? walletActions(urls, reader, all) : [],
    hint: needsHint(context) && good.length > 1 ? phrases.bundleHint : null,
  };
  const imageUrls = passes.flatMap(({ iconUrl }) => iconUrl ?? []);
  return {
    html: eta.render(template, view),
    contentSecurityPolicy: contentSecurityPolicy({ styles: [styleHash, hashOf(colours)], imageUrls }),
  };
}

/** Returns true if adding all passes at once may fail in the reader's browser. */
function needsHint({ urls, reader, opensBundles = false }: BundlePageContext): boolean {
  return urls.apple !== null && reader.device !== 'android' && !opensBundles;
}

/** Gives each row the colours of its pass. The row of a pass that has ended keeps the colours of the page. */
function colourSheet(passes: readonly BundledPass[]): string {
  return passes
    .map(({ ended, colours }, at) =>
      ended === null && colours ? `li:nth-child(${at + 1}) summary{${colourRule(colours)}}` : '',
    )
    .join('');
}

function walletsOf({ ended, urls }: BundledPass, { reader }: BundlePageContext): readonly AddAction[] {
  const { addToApple, addToGoogle } = phrasesOf(reader.language);
  return ended === null ? walletActions(urls, reader, { apple: addToApple, google: addToGoogle }) : [];
}
