import type { Phrases } from './phrases.js';

export const polish: Phrases = {
  valid: 'Ta karta jest ważna.',
  validUntil: 'Ważna do: {date}.',
  notYetValid: 'Ta karta nie jest jeszcze ważna. Początek ważności: {date}.',
  redeemed: 'Ta karta została wykorzystana: {date}.',
  expired: 'Ta karta straciła ważność: {date}.',
  voided: 'Ta karta nie jest już ważna.',
  validFrom: 'Ważna od',
  when: 'Data',
  where: 'Miejsce',
  doorsOpen: 'Otwarcie drzwi',
  ends: 'Koniec',
  messages: 'Wiadomości',
  message: 'Wiadomość',
  earlierMessages: 'Wcześniejsze wiadomości',
  issuedBy: 'Wystawca',
  details: 'Szczegóły',
  addToApple: 'Dodaj do Apple Wallet',
  addToGoogle: 'Dodaj do Portfela Google',
  keepIt: 'Zachowaj tę kartę w telefonie',
  scanPage: 'Aby dodać tę kartę w telefonie, zeskanuj ten kod aparatem telefonu.',
  codeLabel: 'Kod QR tej karty: {code}',
  barcodeLabel: 'Kod kreskowy tej karty ({kind}): {code}',
  pageCodeLabel: 'Kod QR z adresem tej strony',
  development:
    'Tylko do celów deweloperskich: karta ma podpisy testowe, więc Apple Wallet i Portfel Google jej nie przyjmą.',
  developmentApple:
    'Tylko do celów deweloperskich: karta jest podpisana certyfikatem, którego nie wydała firma Apple, więc iPhone jej nie przyjmie.',
  developmentGoogle:
    'Tylko do celów deweloperskich: link jest podpisany kluczem, którego Google nie zna, więc Portfel Google go nie przyjmie.',
  openInSafari:
    'Przeglądarka w tej aplikacji może nie obsługiwać dodawania kart. Stuknij ••• lub symbol udostępniania, a potem „Otwórz w Safari”.',
  openInBrowser:
    'Przeglądarka w tej aplikacji może nie obsługiwać dodawania kart. Stuknij ⋮ lub •••, a potem „Otwórz w przeglądarce”.',
  copyAddress: 'Albo skopiuj ten adres do przeglądarki:',
  updated: 'Ta karta została zaktualizowana.',
  bundleTitle: 'Twoje karty',
  addAllToApple: 'Dodaj wszystkie do Apple Wallet',
  addAllToGoogle: 'Dodaj wszystkie do Portfela Google',
  bundleHint:
    'Nie każda przeglądarka może dodać kilka kart naraz: dodaj je po kolei albo otwórz tę stronę w Safari na iPhonie.',
  showPass: 'Pokaż tę kartę',
  scanBundle: 'Aby dodać te karty w telefonie, zeskanuj ten kod aparatem telefonu.',
  notFoundTitle: 'Nie ma tu żadnej karty',
  notFoundText: 'Sprawdź, czy link jest kompletny, albo poproś nadawcę o nowy.',
  deletedTitle: 'Ta karta nie jest już ważna',
  deletedText: 'Została wycofana. Jeśli nadal jej potrzebujesz, zwróć się do wystawcy.',
  errorTitle: 'Nie można teraz wyświetlić tej strony',
  errorText: 'Spróbuj ponownie za kilka minut.',
  requestId: 'Identyfikator żądania',
};
