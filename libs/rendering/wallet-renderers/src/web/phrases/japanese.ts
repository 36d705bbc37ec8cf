import type { Phrases } from './phrases.js';

export const japanese: Phrases = {
  valid: 'このパスは有効です。',
  validUntil: '{date}まで有効です。',
  notYetValid: 'このパスはまだ有効ではありません。{date}から有効になります。',
  redeemed: 'このパスは使用済みです（{date}）。',
  expired: 'このパスの有効期限は切れています（{date}）。',
  voided: 'このパスは無効になりました。',
  validFrom: '有効期間開始日時',
  when: '日時',
  where: '場所',
  details: '詳細',
  addToApple: 'Apple ウォレットに追加',
  addToGoogle: 'Google ウォレットに追加',
  keepIt: 'このパスをスマートフォンに保存',
  scanPage: 'スマートフォンに追加するには、このコードをカメラで読み取ってください。',
  codeLabel: 'このパスの QR コード：{code}',
  barcodeLabel: 'このパスのバーコード（{kind}）：{code}',
  pageCodeLabel: 'このページのアドレスの QR コード',
  developmentApple: '開発用：このパスは Apple が発行していない証明書で署名されているため、iPhone では使えません。',
  developmentGoogle:
    '開発用：このリンクは Google に登録されていない鍵で署名されているため、Google ウォレットでは使えません。',
  openInSafari:
    'このアプリ内のブラウザではパスを追加できないことがあります。••• または共有アイコンをタップし、「Safari で開く」を選んでください。',
  openInBrowser:
    'このアプリ内のブラウザではパスを追加できないことがあります。⋮ または ••• をタップし、「ブラウザで開く」を選んでください。',
  copyAddress: 'または、このアドレスをブラウザにコピーしてください：',
  updated: 'このパスは更新されました。',
  bundleTitle: 'パス一覧',
  addAllToApple: 'すべて Apple ウォレットに追加',
  addAllToGoogle: 'すべて Google ウォレットに追加',
  bundleHint:
    'ブラウザによっては複数のパスを一度に追加できません。1 つずつ追加するか、iPhone の Safari でこのページを開いてください。',
  showPass: 'このパスを表示',
  scanBundle: 'スマートフォンにこれらのパスを追加するには、このコードをカメラで読み取ってください。',
  notFoundTitle: 'パスが見つかりません',
  notFoundText: 'リンクが途中で切れていないか確認するか、送信元に新しいリンクを依頼してください。',
  deletedTitle: 'このパスは無効になりました',
  deletedText: 'このパスは取り消されました。必要な場合は発行元にお問い合わせください。',
  errorTitle: '現在このページを表示できません',
  errorText: '数分後にもう一度お試しください。',
  requestId: 'リクエストID',
};
