import type { Phrases } from './phrases.js';

export const dutch: Phrases = {
  valid: 'Deze pas is geldig.',
  validUntil: 'Geldig tot {date}.',
  notYetValid: 'Deze pas is nog niet geldig. Hij is geldig vanaf {date}.',
  redeemed: 'Deze pas is gebruikt op {date}.',
  expired: 'Deze pas is verlopen op {date}.',
  voided: 'Deze pas is niet meer geldig.',
  validFrom: 'Geldig vanaf',
  when: 'Datum',
  where: 'Locatie',
  doorsOpen: 'Deuren open',
  ends: 'Einde',
  messages: 'Berichten',
  message: 'Bericht',
  earlierMessages: 'Eerdere berichten',
  issuedBy: 'Uitgegeven door',
  details: 'Details',
  addToApple: 'Voeg toe aan Apple Wallet',
  addToGoogle: 'Toevoegen aan Google Wallet',
  keepIt: 'Bewaar deze pas op je telefoon',
  scanPage: 'Scan deze code met de camera van je telefoon om de pas daar toe te voegen.',
  codeLabel: 'QR-code van deze pas: {code}',
  barcodeLabel: 'Streepjescode van deze pas ({kind}): {code}',
  pageCodeLabel: 'QR-code met het adres van deze pagina',
  development:
    'Alleen voor ontwikkeling: deze pas heeft testhandtekeningen, dus Apple Wallet en Google Wallet accepteren hem niet.',
  developmentApple:
    'Alleen voor ontwikkeling: deze pas is ondertekend met een certificaat dat niet van Apple komt, dus een iPhone accepteert hem niet.',
  developmentGoogle:
    'Alleen voor ontwikkeling: deze link is ondertekend met een sleutel die Google niet kent, dus Google Wallet accepteert hem niet.',
  openInSafari:
    'De browser van deze app kan misschien geen passen toevoegen. Tik op ••• of het deelsymbool en dan op ‘Open in Safari’.',
  openInBrowser:
    'De browser van deze app kan misschien geen passen toevoegen. Tik op ⋮ of ••• en dan op ‘Openen in browser’.',
  copyAddress: 'Of kopieer dit adres naar je browser:',
  updated: 'Deze pas is bijgewerkt.',
  bundleTitle: 'Je passen',
  addAllToApple: 'Voeg alle toe aan Apple Wallet',
  addAllToGoogle: 'Alle toevoegen aan Google Wallet',
  bundleHint:
    'Niet elke browser kan meerdere passen tegelijk toevoegen: voeg ze één voor één toe of open deze pagina in Safari op een iPhone.',
  showPass: 'Deze pas tonen',
  scanBundle: 'Scan deze code met de camera van je telefoon om de passen daar toe te voegen.',
  notFoundTitle: 'Geen pas gevonden',
  notFoundText: 'Controleer of de link volledig is, of vraag de afzender om een nieuwe.',
  deletedTitle: 'Deze pas is niet meer geldig',
  deletedText: 'De pas is ingetrokken. Heb je er toch een nodig, neem dan contact op met de uitgever.',
  errorTitle: 'Deze pagina kan nu niet worden getoond',
  errorText: 'Probeer het over een paar minuten opnieuw.',
  requestId: 'Aanvraag-ID',
};
