import { cssColour } from '../colour.js';
import { mergedFields } from '../merged-fields.js';
import type { RenderField, RenderLocation, RenderPass, RenderTemplate } from '../model.js';
import { passState } from '../pass-state.js';
import type { PassState } from '../pass-state.js';
import { humanDate } from './human-date.js';
import type { WebImages, WebPageContext } from './page-context.js';
import { pageStyle } from './page-style.js';
import { qrCodeSvg } from './qr-code.js';

/** Everything the page template prints, decided beforehand: the template itself only repeats and leaves out. */
export interface PageView {
  title: string;
  issuerName: string;
  summary: string;
  webUrl: string;
  images: PageImages;
  previewImage: string | undefined;
  style: string;
  state: { words: string; tone: 'good' | 'waiting' | 'ended' };
  primary: LabelledText | null;
  front: LabelledText[];
  code: string;
  codeSvg: string;
  /** Null when there is nothing to add: the pass has ended, or no package can be had. */
  appleUrl: string | null;
  pageSvg: string;
  development: boolean;
  back: (LabelledText & { href: string | null })[];
}

type PageImages = { readonly [purpose in keyof WebImages]?: string };

interface LabelledText {
  label: string;
  value: string;
}

export function pageView(template: RenderTemplate, pass: RenderPass, context: WebPageContext): PageView {
  const state = passState(template, pass, context.now);
  const merged = mergedFields(template, pass);
  const event = eventFields(template);
  const images = webImages(context.images);
  const appleUrl = state === 'valid' || state === 'not_yet_valid' ? context.urls.apple : null;
  return {
    title: template.title,
    issuerName: template.issuerName,
    // Whoever gets the link sees this in a preview: nothing of the holder's is in it.
    summary: [template.issuerName, ...event.map(({ value }) => value)].join(' · '),
    webUrl: context.urls.web,
    images,
    previewImage: images.banner ?? images.logo ?? images.icon,
    style: pageStyle(cardColours(template)),
    state: stateInWords(state, pass),
    primary: pass.primaryValue ? { label: template.primaryLabel ?? '', value: pass.primaryValue } : null,
    front: [...event, ...merged.fields.filter(({ value }) => value !== '')],
    code: pass.code,
    codeSvg: qrCodeSvg(pass.code),
    appleUrl,
    pageSvg: appleUrl === null ? '' : qrCodeSvg(context.urls.web),
    development: context.development,
    back: [...validFrom(pass), ...merged.backFields.map(withLink)],
  };
}

function cardColours(template: RenderTemplate) {
  return {
    foreground: cssColour(template.foregroundColor),
    background: cssColour(template.backgroundColor),
    label: cssColour(template.labelColor ?? template.foregroundColor),
  };
}

function eventFields({ startDate, location }: RenderTemplate): LabelledText[] {
  return [
    ...(startDate ? [{ label: 'Date', value: humanDate(startDate) }] : []),
    ...(location ? [{ label: 'Place', value: nameAndAddress(location) }] : []),
  ];
}

function nameAndAddress({ name, address }: RenderLocation): string {
  return [name, address].filter(Boolean).join(', ');
}

/** Where a pass stands, as its page says it. */
export function stateInWords(state: PassState, pass: RenderPass): PageView['state'] {
  const at = (date: Date | null) => (date ? humanDate(date) : '');
  switch (state) {
    case 'voided':
      return { words: 'This pass is no longer valid.', tone: 'ended' };
    case 'redeemed':
      return { words: `This pass was used on ${at(pass.redeemedAt)}.`, tone: 'ended' };
    case 'expired':
      return { words: `This pass expired on ${at(pass.expiresAt)}.`, tone: 'ended' };
    case 'not_yet_valid':
      return { words: `This pass is not valid yet. It becomes valid on ${at(pass.validFrom)}.`, tone: 'waiting' };
    case 'valid':
      return { words: pass.expiresAt ? `Valid until ${at(pass.expiresAt)}.` : 'This pass is valid.', tone: 'good' };
  }
}

function validFrom({ validFrom }: RenderPass): PageView['back'] {
  return validFrom ? [{ label: 'Valid from', value: humanDate(validFrom), href: null }] : [];
}

/** A value that is a web address as a whole becomes a link, as the wallets do it; no other scheme ever does. */
function withLink({ label, value }: RenderField): PageView['back'][number] {
  return { label, value, href: /^https?:\/\/\S+$/i.test(value) ? webAddress(value) : null };
}

/** The images whose addresses may stand in a page. */
function webImages(images: WebImages): PageImages {
  return Object.fromEntries(
    Object.entries(images).flatMap(([purpose, url]: [string, string | null | undefined]) => {
      const address = url ? webAddress(url) : null;
      return address === null ? [] : [[purpose, address]];
    }),
  );
}

function webAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}
