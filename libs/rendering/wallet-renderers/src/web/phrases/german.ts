import type { Phrases } from './phrases.js';

export const german: Phrases = {
  valid: 'Dieser Pass ist gültig.',
  validUntil: 'Gültig bis zum {date}.',
  notYetValid: 'Dieser Pass ist noch nicht gültig. Er gilt ab dem {date}.',
  redeemed: 'Dieser Pass wurde am {date} eingelöst.',
  expired: 'Dieser Pass ist am {date} abgelaufen.',
  voided: 'Dieser Pass ist nicht mehr gültig.',
  validFrom: 'Gültig ab',
  when: 'Datum',
  where: 'Ort',
  doorsOpen: 'Einlass',
  ends: 'Ende',
  messages: 'Nachrichten',
  message: 'Nachricht',
  earlierMessages: 'Frühere Nachrichten',
  issuedBy: 'Ausgestellt von',
  details: 'Details',
  addToApple: 'Zu Apple Wallet hinzufügen',
  addToGoogle: 'Zu Google Wallet hinzufügen',
  keepIt: 'Pass auf dem Handy speichern',
  scanPage: 'Scannen Sie diesen Code mit der Kamera Ihres Handys, um den Pass dort hinzuzufügen.',
  codeLabel: 'QR-Code dieses Passes: {code}',
  barcodeLabel: 'Strichcode dieses Passes ({kind}): {code}',
  pageCodeLabel: 'QR-Code mit der Adresse dieser Seite',
  development:
    'Nur für die Entwicklung: Dieser Pass hat Testsignaturen. Apple Wallet und Google Wallet nehmen ihn nicht an.',
  developmentApple:
    'Nur für die Entwicklung: Dieser Pass ist mit einem Zertifikat signiert, das nicht von Apple stammt. Ein iPhone nimmt ihn nicht an.',
  developmentGoogle:
    'Nur für die Entwicklung: Dieser Link ist mit einem Schlüssel signiert, den Google nicht kennt. Google Wallet nimmt ihn nicht an.',
  openInSafari:
    'Der Browser dieser App kann Pässe eventuell nicht hinzufügen. Tippen Sie auf ••• oder das Teilen-Symbol, dann auf „In Safari öffnen“.',
  openInBrowser:
    'Der Browser dieser App kann Pässe eventuell nicht hinzufügen. Tippen Sie auf ⋮ oder •••, dann auf „Im Browser öffnen“.',
  copyAddress: 'Oder kopieren Sie diese Adresse in Ihren Browser:',
  updated: 'Dieser Pass wurde aktualisiert.',
  bundleTitle: 'Ihre Pässe',
  addAllToApple: 'Alle zu Apple Wallet hinzufügen',
  addAllToGoogle: 'Alle zu Google Wallet hinzufügen',
  bundleHint:
    'Nicht jeder Browser kann mehrere Pässe auf einmal hinzufügen: Fügen Sie sie einzeln hinzu oder öffnen Sie diese Seite in Safari auf einem iPhone.',
  showPass: 'Diesen Pass anzeigen',
  scanBundle: 'Scannen Sie diesen Code mit der Kamera Ihres Handys, um die Pässe dort hinzuzufügen.',
  notFoundTitle: 'Hier gibt es keinen Pass',
  notFoundText: 'Prüfen Sie, ob der Link vollständig ist, oder bitten Sie den Absender um einen neuen.',
  deletedTitle: 'Dieser Pass ist nicht mehr gültig',
  deletedText: 'Er wurde zurückgezogen. Wenn Sie noch einen brauchen, wenden Sie sich an den Aussteller.',
  errorTitle: 'Diese Seite kann gerade nicht angezeigt werden',
  errorText: 'Bitte versuchen Sie es in ein paar Minuten noch einmal.',
  requestId: 'Anfrage-ID',
};
