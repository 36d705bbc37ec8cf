import type { Phrases } from './phrases.js';

export const french: Phrases = {
  valid: 'Ce pass est valable.',
  validUntil: 'Valable jusqu’au {date}.',
  notYetValid: 'Ce pass n’est pas encore valable. Il le sera à partir du {date}.',
  redeemed: 'Ce pass a été utilisé le {date}.',
  expired: 'Ce pass a expiré le {date}.',
  voided: 'Ce pass n’est plus valable.',
  validFrom: 'Valable à partir du',
  when: 'Date',
  where: 'Lieu',
  doorsOpen: 'Ouverture des portes',
  ends: 'Fin',
  messages: 'Messages',
  message: 'Message',
  earlierMessages: 'Messages précédents',
  issuedBy: 'Émis par',
  details: 'Détails',
  addToApple: 'Ajouter à Apple Wallet',
  addToGoogle: 'Ajouter à Google Wallet',
  keepIt: 'Conserver ce pass sur votre téléphone',
  scanPage: 'Pour ajouter ce pass sur votre téléphone, scannez ce code avec son appareil photo.',
  codeLabel: 'Code QR de ce pass : {code}',
  barcodeLabel: 'Code-barres de ce pass ({kind}) : {code}',
  pageCodeLabel: 'Code QR de l’adresse de cette page',
  development:
    'Développement uniquement : ce pass porte des signatures de test ; Apple Wallet et Google Wallet ne l’acceptent pas.',
  developmentApple:
    'Développement uniquement : ce pass est signé avec un certificat qui n’est pas émis par Apple ; un iPhone ne l’accepte pas.',
  developmentGoogle:
    'Développement uniquement : ce lien est signé avec une clé que Google ne connaît pas ; Google Wallet ne l’accepte pas.',
  openInSafari:
    'Le navigateur de cette application ne peut peut-être pas ajouter de pass. Touchez ••• ou le symbole de partage, puis « Ouvrir dans Safari ».',
  openInBrowser:
    'Le navigateur de cette application ne peut peut-être pas ajouter de pass. Touchez ⋮ ou •••, puis « Ouvrir dans le navigateur ».',
  copyAddress: 'Ou copiez cette adresse dans votre navigateur :',
  updated: 'Ce pass a été mis à jour.',
  bundleTitle: 'Vos pass',
  addAllToApple: 'Tout ajouter à Apple Wallet',
  addAllToGoogle: 'Tout ajouter à Google Wallet',
  bundleHint:
    'Certains navigateurs ne peuvent pas ajouter plusieurs pass à la fois : ajoutez-les un par un, ou ouvrez cette page dans Safari sur un iPhone.',
  showPass: 'Afficher ce pass',
  scanBundle: 'Pour ajouter ces pass sur votre téléphone, scannez ce code avec son appareil photo.',
  notFoundTitle: 'Il n’y a pas de pass ici',
  notFoundText: 'Vérifiez que le lien est complet, ou demandez-en un nouveau à la personne qui vous l’a envoyé.',
  deletedTitle: 'Ce pass n’est plus valable',
  deletedText: 'Il a été retiré. S’il vous en faut un autre, adressez-vous à son émetteur.',
  errorTitle: 'Cette page ne peut pas être affichée pour le moment',
  errorText: 'Veuillez réessayer dans quelques minutes.',
  requestId: 'Identifiant de la requête',
};
