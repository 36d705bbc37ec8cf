import type { Language } from '../web/languages.js';

/**
 * The phrases of reminders that a membership will end, in addition to the phrases of pages and mails. `{date}` stands
 * for the last day of the membership, `{issuer}` for its issuer.
 */
export interface ReminderPhrases {
  readonly subject: string;
  readonly ends: string;
  /** The call to action. */
  readonly lead: string;
  /** The reason why the reader gets the mail. */
  readonly sentBy: string;
  /** The notices on the pass. They differ, because phones notify their owners only of a changed text. */
  readonly notices: readonly [until: string, ends: string, lastDay: string];
}

export const reminderPhrases: Readonly<Record<Language, ReminderPhrases>> = {
  en: {
    subject: '{issuer}: your membership ends on {date}',
    ends: 'Your membership ends on {date}.',
    lead: 'Your pass is valid until then. Open it to see your membership.',
    sentBy: 'Sent by {issuer}. You receive this e-mail because you are a member.',
    notices: ['Until {date}', 'Ends on {date}', 'Last day: {date}'],
  },
  de: {
    subject: '{issuer}: Ihre Mitgliedschaft endet am {date}',
    ends: 'Ihre Mitgliedschaft endet am {date}.',
    lead: 'Bis dahin gilt Ihr Pass. Öffnen Sie ihn, um Ihre Mitgliedschaft zu sehen.',
    sentBy: 'Gesendet von {issuer}. Sie erhalten diese E-Mail, weil Sie Mitglied sind.',
    notices: ['Bis {date}', 'Endet am {date}', 'Letzter Tag: {date}'],
  },
  fr: {
    subject: '{issuer} : votre adhésion prend fin le {date}',
    ends: 'Votre adhésion prend fin le {date}.',
    lead: 'Votre pass est valable jusque-là. Ouvrez-le pour voir votre adhésion.',
    sentBy: 'Envoyé par {issuer}. Vous recevez cet e-mail parce que vous êtes membre.',
    notices: ['Jusqu’au {date}', 'Prend fin le {date}', 'Dernier jour : {date}'],
  },
  es: {
    subject: '{issuer}: su membresía termina el {date}',
    ends: 'Su membresía termina el {date}.',
    lead: 'Su pase es válido hasta entonces. Ábralo para ver su membresía.',
    sentBy: 'Enviado por {issuer}. Recibe este correo porque es miembro.',
    notices: ['Hasta el {date}', 'Termina el {date}', 'Último día: {date}'],
  },
  it: {
    subject: '{issuer}: la tua iscrizione termina il {date}',
    ends: 'La tua iscrizione termina il {date}.',
    lead: 'Il tuo pass è valido fino ad allora. Aprilo per vedere la tua iscrizione.',
    sentBy: 'Inviato da {issuer}. Ricevi questa e-mail perché hai un’iscrizione.',
    notices: ['Fino al {date}', 'Termina il {date}', 'Ultimo giorno: {date}'],
  },
  pt: {
    subject: '{issuer}: a sua adesão termina a {date}',
    ends: 'A sua adesão termina a {date}.',
    lead: 'O seu passe é válido até lá. Abra-o para ver a sua adesão.',
    sentBy: 'Enviado por {issuer}. Recebe este e-mail porque é membro.',
    notices: ['Até {date}', 'Termina a {date}', 'Último dia: {date}'],
  },
  nl: {
    subject: '{issuer}: je lidmaatschap eindigt op {date}',
    ends: 'Je lidmaatschap eindigt op {date}.',
    lead: 'Tot dan is je pas geldig. Open hem om je lidmaatschap te zien.',
    sentBy: 'Verzonden door {issuer}. Je ontvangt deze e-mail omdat je lid bent.',
    notices: ['Tot en met {date}', 'Eindigt op {date}', 'Laatste dag: {date}'],
  },
  pl: {
    subject: '{issuer}: Twoje członkostwo kończy się {date}',
    ends: 'Twoje członkostwo kończy się {date}.',
    lead: 'Do tego czasu karta jest ważna. Otwórz ją, aby zobaczyć swoje członkostwo.',
    sentBy: 'Nadawca: {issuer}. Otrzymujesz tę wiadomość, ponieważ masz członkostwo.',
    notices: ['Do {date}', 'Kończy się {date}', 'Ostatni dzień: {date}'],
  },
  ar: {
    subject: '{issuer}: تنتهي عضويتك في {date}',
    ends: 'تنتهي عضويتك في {date}.',
    lead: 'بطاقتك صالحة حتى ذلك الحين. افتحها للاطلاع على عضويتك.',
    sentBy: 'المُرسل: {issuer}. وصلتك هذه الرسالة لأنك عضو.',
    notices: ['حتى {date}', 'تنتهي في {date}', 'اليوم الأخير: {date}'],
  },
  he: {
    subject: '{issuer}: החברות שלך מסתיימת ב־{date}',
    ends: 'החברות שלך מסתיימת ב־{date}.',
    lead: 'הכרטיס בתוקף עד אז. אפשר לפתוח אותו כדי לראות את פרטי החברות.',
    sentBy: 'נשלח על ידי {issuer}. קיבלת הודעה זו כי יש לך חברות.',
    notices: ['עד {date}', 'מסתיים ב־{date}', 'היום האחרון: {date}'],
  },
  ja: {
    subject: '{issuer}：会員資格は{date}に終了します',
    ends: '会員資格は{date}に終了します。',
    lead: 'それまでパスは有効です。パスを開いて会員資格をご確認ください。',
    sentBy: '送信元：{issuer}。会員の方にこのメールをお送りしています。',
    notices: ['{date}まで', '{date}に終了', '最終日：{date}'],
  },
};
