import { checkedMail } from './checked-mail.js';
import { displayName } from './sender.js';

describe('displayName', () => {
  it.each([
    ['Harbour Hall', 'Harbour Hall'],
    ['  Harbour\r\nBcc: x ', 'Harbour Bcc: x'],
    ['"Bank" <bank@example.com>', 'Bank bank example.com'],
    ['\u202eevil', 'evil'],
    ['<>', ''],
    ['Bank ＜bank＠example．com﹥ a﹫b', 'Bank bank example.com a b'],
    ['=?utf-8?q?a=40paypal=2Ecom?=', 'utf-8?q?a=40paypal=2Ecom?='],
    ['＝？x？＝', 'x?='],
    ['é'.repeat(150), 'é'.repeat(100)],
  ])('displayName turns %j into one line without characters that mark an address', (text, name) => {
    expect(displayName(text)).toBe(name);
  });
});

describe('checkedMail', () => {
  const mail = { to: 'ada@example.com', subject: 'Your ticket', text: 'x', html: 'x' };
  const from = { name: 'Passwright', address: 'passes@example.org' };

  it('checkedMail shows the name of the issuer together with the name and the address of the service', () => {
    const sent = checkedMail({ ...mail, fromName: 'Harbour Hall' }, from, new Date(0));
    expect(sent.from).toEqual({ name: 'Harbour Hall via Passwright', address: 'passes@example.org' });
    expect(sent.envelope).toMatchObject({ from: 'passes@example.org' });
  });

  it('checkedMail shows the name of the issuer together with the domain of a service without a name', () => {
    const sent = checkedMail({ ...mail, fromName: 'Harbour Hall' }, { ...from, name: '' }, new Date(0));
    expect(sent.from).toEqual({ name: 'Harbour Hall via example.org', address: 'passes@example.org' });
  });

  it.each([undefined, '', '<>'])(
    'checkedMail shows only the name of the service if the mail has the sender name %j',
    (fromName) => {
      expect(checkedMail({ ...mail, ...(fromName !== undefined && { fromName }) }, from, new Date(0)).from).toEqual(
        from,
      );
    },
  );
});
