/**
 * Everything a page says itself, in one language; what issuers wrote is never translated. `{date}` stands for a date in
 * words, `{code}` for a code, `{kind}` for the name of a kind of barcode: each phrase holds exactly the ones that its English has.
 */
export interface Phrases {
  readonly valid: string;
  readonly validUntil: string;
  readonly notYetValid: string;
  readonly redeemed: string;
  readonly expired: string;
  readonly voided: string;
  readonly validFrom: string;
  readonly when: string;
  readonly where: string;
  readonly details: string;
  readonly addToApple: string;
  readonly addToGoogle: string;
  /** Heads the buttons, for those who cannot see them beside the pass. */
  readonly keepIt: string;
  readonly scanPage: string;
  /** What the QR code is, for screen readers. */
  readonly codeLabel: string;
  /** The same for barcodes of other kinds. */
  readonly barcodeLabel: string;
  readonly pageCodeLabel: string;
  readonly developmentApple: string;
  readonly developmentGoogle: string;
  /** What to do in the browser of another app, on an iPhone and on any other device. */
  readonly openInSafari: string;
  readonly openInBrowser: string;
  readonly copyAddress: string;
  /** Announced when something other than the state has changed. */
  readonly updated: string;
  /** Of the page of several passes. */
  readonly bundleTitle: string;
  readonly addAllToApple: string;
  readonly addAllToGoogle: string;
  readonly bundleHint: string;
  readonly showPass: string;
  readonly scanBundle: string;
  readonly notFoundTitle: string;
  readonly notFoundText: string;
  readonly deletedTitle: string;
  readonly deletedText: string;
  readonly faultTitle: string;
  readonly faultText: string;
}
