import type { Language } from '../web/languages.js';

/** The phrases of mails, in addition to those of pages. `{issuer}` and `{title}` represent the template's texts. */
export interface MailPhrases {
  readonly subject: string;
  /** The call to action. */
  readonly lead: string;
  /** The label of the button. */
  readonly open: string;
  readonly messageFrom: string;
  /** The reason why the reader gets the mail. */
  readonly sentBy: string;
}

export const mailPhrases: Readonly<Record<Language, MailPhrases>> = {
  en: {
    subject: 'Your pass from {issuer}: {title}',
    lead: 'Open your pass to add it to the wallet of your phone, or show it right from the browser.',
    open: 'Open your pass',
    messageFrom: 'A message from {issuer}',
    sentBy: 'Sent by {issuer}. You receive this e-mail because this pass was issued to you.',
  },
  de: {
    subject: 'Ihr Pass von {issuer}: {title}',
    lead: 'Öffnen Sie Ihren Pass, um ihn zur Wallet Ihres Handys hinzuzufügen, oder zeigen Sie ihn direkt im Browser vor.',
    open: 'Pass öffnen',
    messageFrom: 'Nachricht von {issuer}',
    sentBy: 'Gesendet von {issuer}. Sie erhalten diese E-Mail, weil dieser Pass für Sie ausgestellt wurde.',
  },
  fr: {
    subject: 'Votre pass {issuer} : {title}',
    lead: 'Ouvrez votre pass pour l’ajouter au portefeuille de votre téléphone, ou présentez-le directement depuis le navigateur.',
    open: 'Ouvrir le pass',
    messageFrom: 'Message de {issuer}',
    sentBy: 'Envoyé par {issuer}. Vous recevez cet e-mail parce que ce pass a été émis pour vous.',
  },
  es: {
    subject: 'Su pase de {issuer}: {title}',
    lead: 'Abra su pase para añadirlo a la cartera del teléfono o muéstrelo directamente desde el navegador.',
    open: 'Abrir el pase',
    messageFrom: 'Mensaje de {issuer}',
    sentBy: 'Enviado por {issuer}. Recibe este correo porque este pase se emitió a su nombre.',
  },
  it: {
    subject: 'Il tuo pass di {issuer}: {title}',
    lead: 'Apri il pass per aggiungerlo al wallet del telefono, oppure mostralo direttamente dal browser.',
    open: 'Apri il pass',
    messageFrom: 'Messaggio di {issuer}',
    sentBy: 'Inviato da {issuer}. Ricevi questa e-mail perché questo pass è stato emesso per te.',
  },
  pt: {
    subject: 'O seu passe de {issuer}: {title}',
    lead: 'Abra o seu passe para o adicionar à carteira do telefone, ou mostre-o diretamente no navegador.',
    open: 'Abrir o passe',
    messageFrom: 'Mensagem de {issuer}',
    sentBy: 'Enviado por {issuer}. Recebe este e-mail porque este passe foi emitido em seu nome.',
  },
  nl: {
    subject: 'Je pas van {issuer}: {title}',
    lead: 'Open je pas om hem toe te voegen aan de wallet op je telefoon, of laat hem direct in de browser zien.',
    open: 'Pas openen',
    messageFrom: 'Bericht van {issuer}',
    sentBy: 'Verzonden door {issuer}. Je ontvangt deze e-mail omdat deze pas voor jou is uitgegeven.',
  },
  pl: {
    subject: 'Twoja karta – {issuer}: {title}',
    lead: 'Otwórz kartę, aby dodać ją do portfela w telefonie, albo pokaż ją od razu w przeglądarce.',
    open: 'Otwórz kartę',
    messageFrom: 'Wiadomość od: {issuer}',
    sentBy: 'Nadawca: {issuer}. Otrzymujesz tę wiadomość, ponieważ ta karta została wystawiona dla Ciebie.',
  },
  ar: {
    subject: 'بطاقتك من {issuer}: {title}',
    lead: 'افتح بطاقتك لإضافتها إلى محفظة هاتفك، أو اعرضها مباشرة من المتصفح.',
    open: 'افتح البطاقة',
    messageFrom: 'رسالة من {issuer}',
    sentBy: 'المُرسل: {issuer}. وصلتك هذه الرسالة لأن هذه البطاقة أُصدرت لك.',
  },
  he: {
    subject: 'הכרטיס שלך מאת {issuer}: {title}',
    lead: 'אפשר לפתוח את הכרטיס כדי להוסיף אותו לארנק שבטלפון, או להציג אותו ישירות מהדפדפן.',
    open: 'לפתיחת הכרטיס',
    messageFrom: 'הודעה מאת {issuer}',
    sentBy: 'נשלח על ידי {issuer}. קיבלת הודעה זו כי הכרטיס הונפק עבורך.',
  },
  ja: {
    subject: '{issuer}からのパス：{title}',
    lead: 'パスを開いて、スマートフォンのウォレットに追加するか、ブラウザでそのまま提示してください。',
    open: 'パスを開く',
    messageFrom: '{issuer}からのメッセージ',
    sentBy: '送信元：{issuer}。このパスがあなたに発行されたため、このメールをお送りしています。',
  },
};
