/**
 * All phrases of a page in one language. `{date}` represents a formatted date, `{code}` a code, `{kind}` the name of a
 * barcode format. Each phrase has exactly the placeholders of its English version.
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
  readonly doorsOpen: string;
  readonly ends: string;
  /** The heading above messages to the holder. */
  readonly messages: string;
  /** The label of the newest message on the back of a pass. */
  readonly message: string;
  readonly earlierMessages: string;
  /** The label of the issuer's name. */
  readonly issuedBy: string;
  readonly details: string;
  readonly addToApple: string;
  readonly addToGoogle: string;
  /** The accessible name of the section with the wallet buttons. */
  readonly keepIt: string;
  readonly scanPage: string;
  /** The description of the QR code for screen readers. */
  readonly codeLabel: string;
  /** The description of barcodes other than QR codes. */
  readonly barcodeLabel: string;
  readonly pageCodeLabel: string;
  /** The notice if neither wallet accepts the pass. */
  readonly development: string;
  readonly developmentApple: string;
  readonly developmentGoogle: string;
  /** The instruction inside another app's browser, on an iPhone and on any other device. */
  readonly openInSafari: string;
  readonly openInBrowser: string;
  readonly copyAddress: string;
  /** The announcement for screen readers when something other than the state has changed. */
  readonly updated: string;
  /** The title of the page of several passes. */
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
  readonly errorTitle: string;
  readonly errorText: string;
  /** The label of the request id, with which the operator finds a failure in the logs. */
  readonly requestId: string;
}
