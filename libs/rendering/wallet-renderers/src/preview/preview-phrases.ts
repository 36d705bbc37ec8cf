import type { PassState } from '../pass-state.js';
import type { Language } from '../web/languages.js';

/** The wallets' own texts around a pass, in addition to the phrases of pages. */
export interface PreviewPhrases {
  /** The button that closes a pass in Apple Wallet. */
  readonly done: string;
  /** A short sentence about the state of a pass. */
  readonly voided: string;
  readonly redeemed: string;
  readonly expired: string;
  /** The name of the place where Apple Wallet stores a pass that has ended. */
  readonly inApple: string;
  readonly inGoogle: string;
}

export const previewPhrases: Readonly<Record<Language, PreviewPhrases>> = {
  en: {
    done: 'Done',
    voided: 'Void.',
    redeemed: 'Used.',
    expired: 'Expired.',
    inApple: 'Wallet keeps it among the expired passes.',
    inGoogle: 'Moved to “Expired passes”.',
  },
  de: {
    done: 'Fertig',
    voided: 'Ungültig.',
    redeemed: 'Eingelöst.',
    expired: 'Abgelaufen.',
    inApple: 'Wallet bewahrt ihn unter den abgelaufenen Pässen auf.',
    inGoogle: 'Verschoben nach „Abgelaufene Karten/Tickets“.',
  },
  fr: {
    done: 'OK',
    voided: 'Annulé.',
    redeemed: 'Utilisé.',
    expired: 'Expiré.',
    inApple: 'Cartes le conserve parmi les passes expirés.',
    inGoogle: 'Déplacé vers « Cartes expirées ».',
  },
  es: {
    done: 'Listo',
    voided: 'Anulado.',
    redeemed: 'Utilizado.',
    expired: 'Caducado.',
    inApple: 'Wallet lo guarda entre los pases caducados.',
    inGoogle: 'Se ha movido a «Pases caducados».',
  },
  it: {
    done: 'Fine',
    voided: 'Annullato.',
    redeemed: 'Utilizzato.',
    expired: 'Scaduto.',
    inApple: 'Wallet lo conserva tra i pass scaduti.',
    inGoogle: 'Spostato in “Pass scaduti”.',
  },
  pt: {
    done: 'OK',
    voided: 'Anulado.',
    redeemed: 'Utilizado.',
    expired: 'Expirado.',
    inApple: 'A Wallet guarda-o entre os passes expirados.',
    inGoogle: 'Movido para «Passes expirados».',
  },
  nl: {
    done: 'Gereed',
    voided: 'Ongeldig.',
    redeemed: 'Gebruikt.',
    expired: 'Verlopen.',
    inApple: 'Wallet bewaart hem bij de verlopen passen.',
    inGoogle: 'Verplaatst naar ‘Verlopen passen’.',
  },
  pl: {
    done: 'Gotowe',
    voided: 'Nieważna.',
    redeemed: 'Wykorzystana.',
    expired: 'Wygasła.',
    inApple: 'Portfel przechowuje ją wśród kart, które wygasły.',
    inGoogle: 'Przeniesiono do „Karty, które wygasły”.',
  },
  ar: {
    done: 'تم',
    voided: 'ملغاة.',
    redeemed: 'مستخدمة.',
    expired: 'منتهية الصلاحية.',
    inApple: 'تحتفظ بها «المحفظة» ضمن البطاقات المنتهية الصلاحية.',
    inGoogle: 'نُقلت إلى «البطاقات المنتهية الصلاحية».',
  },
  he: {
    done: 'סיום',
    voided: 'בוטל.',
    redeemed: 'נוצל.',
    expired: 'פג תוקף.',
    inApple: 'הכרטיס נשמר ב-Wallet עם הכרטיסים שפג תוקפם.',
    inGoogle: 'הועבר אל ”כרטיסים שפג תוקפם”.',
  },
  ja: {
    done: '完了',
    voided: '無効です。',
    redeemed: '使用済みです。',
    expired: '期限切れです。',
    inApple: 'ウォレットの「期限切れのパス」に残ります。',
    inGoogle: '「期限切れのパス」に移動しました。',
  },
};

/** Returns the wallet's text for a pass that has ended; null for other passes. */
export function endInWords(
  state: PassState,
  language: Language,
  place: 'inApple' | 'inGoogle',
): { readonly state: string; readonly whole: string } | null {
  const phrases = previewPhrases[language];
  if (state !== 'voided' && state !== 'redeemed' && state !== 'expired') return null;
  return { state: phrases[state], whole: `${phrases[state]} ${phrases[place]}` };
}
