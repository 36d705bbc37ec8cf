import { z } from 'zod';
import { httpsUrl, pem, wholeNumber } from './variable-forms.js';

/** The variables of the operator's Apple certificate. */
export const appleCertificateVariables = {
  APPLE_CERTIFICATE: {
    schema: pem('the pass type certificate'),
    about:
      'Pass Type ID certificate. Without it a development chain signs, which phones reject. Or APPLE_CERTIFICATE_FILE.',
    example: '"-----BEGIN CERTIFICATE-----\\nMIIG…\\n-----END CERTIFICATE-----"',
  },
  APPLE_PRIVATE_KEY: {
    schema: pem("the certificate's RSA private key"),
    about: 'Private key of APPLE_CERTIFICATE (RSA 2048). Or APPLE_PRIVATE_KEY_FILE.',
    example: '"-----BEGIN PRIVATE KEY-----\\nMIIE…\\n-----END PRIVATE KEY-----"',
  },
  APPLE_PRIVATE_KEY_PASSPHRASE: {
    schema: z.string().optional(),
    about: 'Passphrase of the private key, if it has one. Or APPLE_PRIVATE_KEY_PASSPHRASE_FILE.',
    example: 'correct horse battery staple',
  },
  APPLE_INTERMEDIATE: {
    schema: pem('the Apple WWDR certificate'),
    about:
      "Certificate that issued APPLE_CERTIFICATE. Default: Apple's WWDR G4, which is bundled. Or APPLE_INTERMEDIATE_FILE.",
    example: '"-----BEGIN CERTIFICATE-----\\nMIIE…\\n-----END CERTIFICATE-----"',
  },
} as const;

/** The variables of the push service and of the push rate per device. */
export const applePushVariables = {
  APPLE_PUSH_URL: {
    schema: httpsUrl,
    about:
      "Push service that notifies devices, for your own tests. Default: Apple's, https://api.push.apple.com, which " +
      'is not called while a development certificate signs.',
    example: 'https://push.example.com:2197',
  },
  APPLE_PUSH_CA: {
    schema: pem('the certificate of an authority'),
    about: 'Authority that issued the certificate of APPLE_PUSH_URL, unless it is well known. Or APPLE_PUSH_CA_FILE.',
    example: '"-----BEGIN CERTIFICATE-----\\nMIIE…\\n-----END CERTIFICATE-----"',
  },
  APPLE_PUSH_WINDOW_SECONDS: {
    schema: wholeNumber(0, 3600).default(30),
    about: 'Seconds after a push of a device without another; changes within them become one push. Default: 30.',
    example: '30',
  },
  APPLE_PUSH_PER_HOUR: {
    schema: wholeNumber(0, 3600).default(2),
    about: 'Pushes per hour and device in the long run, because iOS throttles more; 0 for no limit. Default: 2.',
    example: '2',
  },
  APPLE_PUSH_BURST: {
    schema: wholeNumber(1, 1000).default(20),
    about: 'Pushes that a device may get in a row before APPLE_PUSH_PER_HOUR applies. Default: 20.',
    example: '20',
  },
  APPLE_PUSH_RESTORED_PER_SECOND: {
    schema: wholeNumber(1, 10_000).default(200),
    about:
      'Devices pushed per second after a restore of the database, over all nodes; each fetches all its passes at ' +
      'once. To push all of them within a minute, use their number divided by 50. Default: 200.',
    example: '1000',
  },
} as const;
