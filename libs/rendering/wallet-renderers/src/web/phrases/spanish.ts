import type { Phrases } from './phrases.js';

export const spanish: Phrases = {
  valid: 'Este pase es válido.',
  validUntil: 'Válido hasta el {date}.',
  notYetValid: 'Este pase aún no es válido. Lo será a partir del {date}.',
  redeemed: 'Este pase se usó el {date}.',
  expired: 'Este pase caducó el {date}.',
  voided: 'Este pase ya no es válido.',
  validFrom: 'Válido desde',
  when: 'Fecha',
  where: 'Lugar',
  doorsOpen: 'Apertura de puertas',
  ends: 'Fin',
  messages: 'Mensajes',
  message: 'Mensaje',
  earlierMessages: 'Mensajes anteriores',
  issuedBy: 'Emitido por',
  details: 'Detalles',
  addToApple: 'Añadir a Apple Wallet',
  addToGoogle: 'Añadir a Google Wallet',
  keepIt: 'Guardar este pase en el teléfono',
  scanPage: 'Para añadir este pase en el teléfono, escanee este código con la cámara.',
  codeLabel: 'Código QR de este pase: {code}',
  barcodeLabel: 'Código de barras de este pase ({kind}): {code}',
  pageCodeLabel: 'Código QR con la dirección de esta página',
  development:
    'Solo para desarrollo: este pase tiene firmas de prueba, así que Apple Wallet y Google Wallet no lo aceptan.',
  developmentApple:
    'Solo para desarrollo: este pase está firmado con un certificado que no emitió Apple, así que un iPhone no lo acepta.',
  developmentGoogle:
    'Solo para desarrollo: este enlace está firmado con una clave que Google no conoce, así que Google Wallet no lo acepta.',
  openInSafari:
    'Es posible que el navegador de esta aplicación no pueda añadir pases. Toque ••• o el símbolo de compartir y luego «Abrir en Safari».',
  openInBrowser:
    'Es posible que el navegador de esta aplicación no pueda añadir pases. Toque ⋮ o ••• y luego «Abrir en el navegador».',
  copyAddress: 'O copie esta dirección en su navegador:',
  updated: 'Este pase se ha actualizado.',
  bundleTitle: 'Sus pases',
  addAllToApple: 'Añadir todos a Apple Wallet',
  addAllToGoogle: 'Añadir todos a Google Wallet',
  bundleHint:
    'No todos los navegadores pueden añadir varios pases a la vez: añádalos uno a uno o abra esta página en Safari en un iPhone.',
  showPass: 'Mostrar este pase',
  scanBundle: 'Para añadir estos pases en el teléfono, escanee este código con la cámara.',
  notFoundTitle: 'Aquí no hay ningún pase',
  notFoundText: 'Compruebe que el enlace esté completo o pida uno nuevo a quien se lo envió.',
  deletedTitle: 'Este pase ya no es válido',
  deletedText: 'Se ha retirado. Si todavía necesita uno, pídalo a quien lo emitió.',
  errorTitle: 'Esta página no se puede mostrar ahora',
  errorText: 'Inténtelo de nuevo dentro de unos minutos.',
  requestId: 'ID de la solicitud',
};
