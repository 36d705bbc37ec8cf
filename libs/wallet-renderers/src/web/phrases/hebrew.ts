import type { Phrases } from './phrases.js';

export const hebrew: Phrases = {
  valid: 'הכרטיס בתוקף.',
  validUntil: 'בתוקף עד {date}.',
  notYetValid: 'הכרטיס עדיין לא בתוקף. תחילת התוקף: {date}.',
  redeemed: 'הכרטיס מומש: {date}.',
  expired: 'תוקף הכרטיס פג: {date}.',
  voided: 'הכרטיס אינו בתוקף עוד.',
  validFrom: 'בתוקף מ־',
  when: 'תאריך',
  where: 'מקום',
  details: 'פרטים',
  addToApple: 'הוספה ל־Apple Wallet',
  addToGoogle: 'הוספה ל־Google Wallet',
  keepIt: 'לשמור את הכרטיס בטלפון',
  scanPage: 'כדי להוסיף את הכרטיס בטלפון, יש לסרוק את הקוד הזה במצלמת הטלפון.',
  codeLabel: 'קוד QR של הכרטיס: {code}',
  pageCodeLabel: 'קוד QR עם הכתובת של דף זה',
  developmentApple: 'לפיתוח בלבד: הכרטיס חתום בתעודה ש־Apple לא הנפיקה, ולכן iPhone לא יקבל אותו.',
  developmentGoogle: 'לפיתוח בלבד: הקישור חתום במפתח ש־Google אינה מכירה, ולכן Google Wallet לא יקבל אותו.',
  openInSafari:
    'ייתכן שהדפדפן של היישום הזה אינו יכול להוסיף כרטיסים. יש להקיש על ••• או על סמל השיתוף, ואז על ”פתיחה ב־Safari“.',
  openInBrowser:
    'ייתכן שהדפדפן של היישום הזה אינו יכול להוסיף כרטיסים. יש להקיש על ⋮ או על •••, ואז על ”פתיחה בדפדפן“.',
  copyAddress: 'או להעתיק את הכתובת הזו לדפדפן:',
  updated: 'הכרטיס עודכן.',
  notFoundTitle: 'אין כאן כרטיס',
  notFoundText: 'כדאי לבדוק שהקישור שלם, או לבקש קישור חדש ממי ששלח אותו.',
  deletedTitle: 'הכרטיס אינו בתוקף עוד',
  deletedText: 'הכרטיס בוטל. אם עדיין יש בו צורך, אפשר לפנות למי שהנפיק אותו.',
  faultTitle: 'לא ניתן להציג את הדף כעת',
  faultText: 'נא לנסות שוב בעוד כמה דקות.',
};
