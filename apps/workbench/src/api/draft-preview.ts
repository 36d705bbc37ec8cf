import type { Finding } from '../model/findings.js';
import type { Session } from './session.js';

export type Wallet = 'walletA' | 'walletB' | 'web';
export type Theme = 'light' | 'dark';

/** A drawing of a pass in one wallet. */
export interface Picture {
  readonly wallet: Wallet;
  readonly theme: Theme;
  readonly svg: string;
  /** The system of the phone, if the wallet looks different on older systems. */
  readonly system?: string;
}

/** The preview of a draft: the response of `POST /v1/templates/{templateId}/preview`. */
export interface DraftPreview {
  readonly pictures: readonly Picture[];
  readonly findings: readonly Finding[];
  readonly cut: readonly {
    readonly wallet: Wallet;
    readonly path: string;
    readonly text: string;
    readonly shown: string;
  }[];
}

/** Returns the appearance, light or dark, that the reader's system prefers. */
export function readersTheme(): Theme {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Draws a template or a pass that is not saved yet. */
export function previewDraft(
  session: Session,
  templateId: string,
  drafts: { readonly template?: unknown; readonly pass?: unknown },
  { theme, lang }: { readonly theme: Theme; readonly lang: string },
): Promise<DraftPreview> {
  const query = new URLSearchParams({ theme, ...(lang !== '' && { lang }) }).toString();
  return session.request('POST', `/v1/templates/${encodeURIComponent(templateId)}/preview?${query}`, drafts);
}
