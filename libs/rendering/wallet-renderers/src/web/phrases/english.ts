import type { Phrases } from './phrases.js';

export const english: Phrases = {
  valid: 'This pass is valid.',
  validUntil: 'Valid until {date}.',
  notYetValid: 'This pass is not valid yet. It becomes valid on {date}.',
  redeemed: 'This pass was used on {date}.',
  expired: 'This pass expired on {date}.',
  voided: 'This pass is no longer valid.',
  validFrom: 'Valid from',
  when: 'Date',
  where: 'Place',
  details: 'Details',
  addToApple: 'Add to Apple Wallet',
  addToGoogle: 'Add to Google Wallet',
  keepIt: 'Keep this pass on your phone',
  scanPage: 'To add this pass on your phone, scan this code with its camera.',
  codeLabel: 'QR code of this pass: {code}',
  barcodeLabel: 'Barcode of this pass ({kind}): {code}',
  pageCodeLabel: 'QR code of the address of this page',
  developmentApple:
    'Development only: this pass is signed with a certificate that Apple did not issue, so an iPhone does not accept it.',
  developmentGoogle:
    'Development only: this link is signed with a key that Google does not know, so Google Wallet does not accept it.',
  openInSafari:
    'The browser of this app may not be able to add passes. Tap ••• or the share symbol, then “Open in Safari”.',
  openInBrowser: 'The browser of this app may not be able to add passes. Tap ⋮ or •••, then “Open in browser”.',
  copyAddress: 'Or copy this address into your browser:',
  updated: 'This pass has been updated.',
  bundleTitle: 'Your passes',
  addAllToApple: 'Add all to Apple Wallet',
  addAllToGoogle: 'Add all to Google Wallet',
  bundleHint:
    'Not every browser can add several passes at once: add them one by one, or open this page in Safari on an iPhone.',
  showPass: 'Show this pass',
  scanBundle: 'To add these passes on your phone, scan this code with its camera.',
  notFoundTitle: 'There is no pass here',
  notFoundText: 'Check that the link is complete, or ask whoever sent it to you for a new one.',
  deletedTitle: 'This pass is no longer valid',
  deletedText: 'It was withdrawn. If you still need one, ask whoever issued it.',
  errorTitle: 'This page cannot be shown now',
  errorText: 'Please try again in a few minutes.',
  requestId: 'Request ID',
};
