import { type AddAction, addActions, type AddContext, walletActions } from './add-actions.js';
import { bundleStyle, bundleTemplate } from './bundle-template.js';
import { directionOf, phrasesOf } from './languages.js';
import { eta, type WebPage } from './page.js';
import { contentSecurityPolicy, hashOf } from './page-policy.js';

/** One pass on the page: its words, and where it can be had. All addresses are absolute, http or https. */
export interface BundledPass {
  readonly title: string;
  readonly issuerName: string;
  /** What tells it from others of its template; empty when nothing does. */
  readonly detail: string;
  /** Null: no icon is shown. */
  readonly iconUrl: string | null;
  /** Why it is of no use any more, in words; null while it is good: only then is it offered to be added. */
  readonly ended: string | null;
  /** As on the pass's own page. */
  readonly urls: AddContext['urls'];
}

/** What the page of a bundle shows. */
export interface BundlePageContext extends AddContext {
  readonly passes: readonly BundledPass[];
  /** Where wallets add all of them at once, and the address of the page itself. */
  readonly urls: AddContext['urls'];
}

const template = eta.compile(bundleTemplate);
const styleHash = hashOf(bundleStyle);

/**
 * The page that adds the passes of a bundle, all at once where the reader's wallet can, or one by one. It speaks the
 * reader's language and offers their wallet first; complete without scripts, all text escaped, see `webPage`.
 */
export function bundlePage(context: BundlePageContext): WebPage {
  const { passes, reader, urls } = context;
  const phrases = phrasesOf(reader.language);
  const good = passes.filter(({ ended }) => ended === null);
  const actions = addActions(context, good.length > 0);
  const all = { apple: phrases.addAllToApple, google: phrases.addAllToGoogle };
  const view = {
    language: reader.language,
    direction: directionOf(reader.language),
    phrases,
    style: bundleStyle,
    passes: passes.map((pass) => ({ ...pass, wallets: walletsOf(pass, context) })),
    actions,
    webUrl: urls.web,
    all: good.length > 1 ? walletActions(urls, reader, all) : [],
    hint: good.length > 1 && urls.apple && reader.device !== 'android' ? phrases.bundleHint : null,
  };
  const imageUrls = passes.flatMap(({ iconUrl }) => iconUrl ?? []);
  return {
    html: eta.render(template, view),
    contentSecurityPolicy: contentSecurityPolicy({ styles: [styleHash], imageUrls }),
  };
}

function walletsOf({ ended, urls }: BundledPass, { reader }: BundlePageContext): readonly AddAction[] {
  const { addToApple, addToGoogle } = phrasesOf(reader.language);
  return ended === null ? walletActions(urls, reader, { apple: addToApple, google: addToGoogle }) : [];
}
