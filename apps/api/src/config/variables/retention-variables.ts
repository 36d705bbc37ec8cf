import { wholeNumber } from './variable-forms.js';

/** The variables that limit how long account content is stored. */
export const retentionVariables = {
  ACCOUNT_DELETION_DELAY_DAYS: {
    schema: wholeNumber(0, 365).default(7),
    about: 'Days in which admins can cancel the deletion of their account. Default: 7.',
    example: '14',
  },
  AUDIT_RETENTION_DAYS: {
    schema: wholeNumber(31, 36_500).default(400),
    about:
      'Days for which the audit trail is kept. It is deleted in whole calendar months, so up to a month later. ' +
      'Default: 400.',
    example: '400',
  },
} as const;
