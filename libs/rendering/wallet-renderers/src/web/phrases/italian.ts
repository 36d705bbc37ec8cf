import type { Phrases } from './phrases.js';

export const italian: Phrases = {
  valid: 'Questo pass è valido.',
  validUntil: 'Scadenza: {date}.',
  notYetValid: 'Questo pass non è ancora valido. Inizio validità: {date}.',
  redeemed: 'Questo pass è stato utilizzato: {date}.',
  expired: 'Questo pass è scaduto: {date}.',
  voided: 'Questo pass non è più valido.',
  validFrom: 'Inizio validità',
  when: 'Data',
  where: 'Luogo',
  doorsOpen: 'Apertura porte',
  ends: 'Fine',
  messages: 'Messaggi',
  message: 'Messaggio',
  earlierMessages: 'Messaggi precedenti',
  issuedBy: 'Emesso da',
  details: 'Dettagli',
  addToApple: 'Aggiungi ad Apple Wallet',
  addToGoogle: 'Aggiungi a Google Wallet',
  keepIt: 'Conserva questo pass sul telefono',
  scanPage: 'Per aggiungere questo pass sul telefono, inquadra questo codice con la fotocamera.',
  codeLabel: 'Codice QR di questo pass: {code}',
  barcodeLabel: 'Codice a barre di questo pass ({kind}): {code}',
  pageCodeLabel: 'Codice QR con l’indirizzo di questa pagina',
  development:
    'Solo per lo sviluppo: questo pass ha firme di prova, quindi Apple Wallet e Google Wallet non lo accettano.',
  developmentApple:
    'Solo per lo sviluppo: questo pass è firmato con un certificato non emesso da Apple, quindi un iPhone non lo accetta.',
  developmentGoogle:
    'Solo per lo sviluppo: questo link è firmato con una chiave che Google non conosce, quindi Google Wallet non lo accetta.',
  openInSafari:
    'Il browser di questa app potrebbe non riuscire ad aggiungere pass. Tocca ••• o il simbolo di condivisione, poi «Apri in Safari».',
  openInBrowser:
    'Il browser di questa app potrebbe non riuscire ad aggiungere pass. Tocca ⋮ o •••, poi «Apri nel browser».',
  copyAddress: 'Oppure copia questo indirizzo nel browser:',
  updated: 'Questo pass è stato aggiornato.',
  bundleTitle: 'I tuoi pass',
  addAllToApple: 'Aggiungi tutti ad Apple Wallet',
  addAllToGoogle: 'Aggiungi tutti a Google Wallet',
  bundleHint:
    'Non tutti i browser possono aggiungere più pass insieme: aggiungili uno alla volta, oppure apri questa pagina in Safari su un iPhone.',
  showPass: 'Mostra questo pass',
  scanBundle: 'Per aggiungere questi pass sul telefono, inquadra questo codice con la fotocamera.',
  notFoundTitle: 'Qui non c’è nessun pass',
  notFoundText: 'Controlla che il link sia completo o chiedine uno nuovo a chi te lo ha inviato.',
  deletedTitle: 'Questo pass non è più valido',
  deletedText: 'È stato ritirato. Se te ne serve un altro, chiedilo a chi lo ha emesso.',
  errorTitle: 'Al momento non è possibile mostrare questa pagina',
  errorText: 'Riprova tra qualche minuto.',
  requestId: 'ID della richiesta',
};
