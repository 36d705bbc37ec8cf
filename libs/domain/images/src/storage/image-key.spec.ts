import { uploadKeyOf } from './image-key.js';

const file = `${'0a'.repeat(32)}.png`;

it.each(['https://passes.example', 'http://localhost:3000/wallet'])(
  'uploadKeyOf returns the key of an upload, also if the base address was %s then',
  (base) => {
    expect(uploadKeyOf('acc_1', `${base}/images/acc_1/${file}`)).toBe(`images/acc_1/${file}`);
  },
);

it.each([
  ['another account', `https://passes.example/images/acc_2/${file}`],
  ['a sample image', 'https://passes.example/images/samples/icon.png'],
  ['no address', `images/acc_1/${file}`],
  ['a longer host than DNS allows', `https://${'東'.repeat(300)}/images/acc_1/${file}`],
])('uploadKeyOf returns null for the address of %s', (_, url) => {
  expect(uploadKeyOf('acc_1', url)).toBeNull();
});
