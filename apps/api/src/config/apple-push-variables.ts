import { httpsUrl, pem, wholeNumber } from './variable-forms.js';

/** The variables of the push service and of the push rate per device. */
export const applePushVariables = {
  APPLE_PUSH_URL: {
    schema: httpsUrl,
    about:
      "Push service that tells devices of changes, for tests of your own. Default: Apple's, https://api.push.apple.com, " +
      'which is not asked while a development certificate signs.',
    example: 'https://push.example.com:2197',
  },
  APPLE_PUSH_CA: {
    schema: pem('the certificate of an authority'),
    about:
      "Authority that issued that push service's certificate, unless it is a well-known one. Or APPLE_PUSH_CA_FILE.",
    example: '"-----BEGIN CERTIFICATE-----\\nMIIE…\\n-----END CERTIFICATE-----"',
  },
  APPLE_PUSH_WINDOW_SECONDS: {
    schema: wholeNumber(0, 3600).default(30),
    about: 'After a push of a device none follows for so many seconds: changes within become one push. Default: 30.',
    example: '30',
  },
  APPLE_PUSH_PER_HOUR: {
    schema: wholeNumber(0, 3600).default(2),
    about: 'Pushes per hour and device in the long run, as iOS bears no more; 0 for no limit. Default: 2.',
    example: '2',
  },
  APPLE_PUSH_BURST: {
    schema: wholeNumber(1, 1000).default(20),
    about: 'Pushes that a device may get in a row before it is held to APPLE_PUSH_PER_HOUR. Default: 20.',
    example: '20',
  },
  APPLE_PUSH_RESTORED_PER_SECOND: {
    schema: wholeNumber(1, 10_000).default(200),
    about:
      'Devices pushed a second after the database was restored, over all nodes: each asks for all its passes at once. ' +
      'For all of them within a minute, their number divided by 50. Default: 200.',
    example: '1000',
  },
} as const;
