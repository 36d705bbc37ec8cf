import type { PreparedImage } from '@passwright/images';
import { recordedContent, type TemplateContent } from './template-content.js';

it('recordedContent removes parts of image addresses that may be secret', () => {
  const of = (url: string) => ({ url }) as PreparedImage;
  const images = {
    icon: of('https://ada:secret@cdn.example.com:8443/a%20b/icon.png?X-Amz-Signature=secret#secret'),
    logo: of('https://passes.example.com/images/acc_1/logo.png'),
  };
  expect(recordedContent({ images } as unknown as TemplateContent)).toMatchObject({
    icon: 'https://cdn.example.com:8443/a%20b/icon.png',
    logo: 'https://passes.example.com/images/acc_1/logo.png',
  });
});
