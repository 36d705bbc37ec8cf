import type { Phrases } from './phrases.js';

export const portuguese: Phrases = {
  valid: 'Este passe é válido.',
  validUntil: 'Válido até {date}.',
  notYetValid: 'Este passe ainda não é válido. Será válido a partir de {date}.',
  redeemed: 'Este passe foi utilizado em {date}.',
  expired: 'Este passe expirou em {date}.',
  voided: 'Este passe já não é válido.',
  validFrom: 'Válido a partir de',
  when: 'Data',
  where: 'Local',
  doorsOpen: 'Abertura das portas',
  ends: 'Fim',
  messages: 'Mensagens',
  message: 'Mensagem',
  earlierMessages: 'Mensagens anteriores',
  issuedBy: 'Emitido por',
  details: 'Detalhes',
  addToApple: 'Adicionar à Apple Wallet',
  addToGoogle: 'Adicionar à Google Wallet',
  keepIt: 'Guardar este passe no telefone',
  scanPage: 'Para adicionar este passe ao telefone, leia este código com a câmara do aparelho.',
  codeLabel: 'Código QR deste passe: {code}',
  barcodeLabel: 'Código de barras deste passe ({kind}): {code}',
  pageCodeLabel: 'Código QR com o endereço desta página',
  development:
    'Só para desenvolvimento: este passe tem assinaturas de teste, por isso a Apple Wallet e a Google Wallet não o aceitam.',
  developmentApple:
    'Só para desenvolvimento: este passe está assinado com um certificado que a Apple não emitiu, por isso um iPhone não o aceita.',
  developmentGoogle:
    'Só para desenvolvimento: este link está assinado com uma chave que a Google não conhece, por isso a Google Wallet não o aceita.',
  openInSafari:
    'O navegador desta aplicação pode não conseguir adicionar passes. Toque em ••• ou no símbolo de partilha e depois em «Abrir no Safari».',
  openInBrowser:
    'O navegador desta aplicação pode não conseguir adicionar passes. Toque em ⋮ ou ••• e depois em «Abrir no navegador».',
  copyAddress: 'Ou copie este endereço para o seu navegador:',
  updated: 'Este passe foi atualizado.',
  bundleTitle: 'Os seus passes',
  addAllToApple: 'Adicionar todos à Apple Wallet',
  addAllToGoogle: 'Adicionar todos à Google Wallet',
  bundleHint:
    'Nem todos os navegadores conseguem adicionar vários passes de uma vez: adicione-os um a um ou abra esta página no Safari num iPhone.',
  showPass: 'Mostrar este passe',
  scanBundle: 'Para adicionar estes passes ao telefone, leia este código com a câmara do aparelho.',
  notFoundTitle: 'Não há nenhum passe aqui',
  notFoundText: 'Verifique se o endereço está completo ou peça um novo a quem o enviou.',
  deletedTitle: 'Este passe já não é válido',
  deletedText: 'Foi retirado. Se ainda precisar de um, peça-o a quem o emitiu.',
  errorTitle: 'Esta página não pode ser mostrada agora',
  errorText: 'Tente novamente dentro de alguns minutos.',
  requestId: 'ID do pedido',
};
