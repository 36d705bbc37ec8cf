import { ApiQuery } from '@nestjs/swagger';
import { webLanguages } from '@passwright/wallet-renderers';

/** Documents `?lang=` of a page. */
export const ApiPageLanguage = () =>
  ApiQuery({
    name: 'lang',
    required: false,
    description: `The language of the page instead of the browser’s: ${webLanguages.join(', ')}.`,
    example: 'de',
  });
