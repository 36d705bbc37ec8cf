/** The content of the pass; `RenderTemplate`, `RenderPass` and `ApplePassContext` of @passwright/wallet-renderers say what each property is. */
export const template = {
  type: 'membership',
  title: 'Gym',
  issuerName: 'Sundown Gym',
  foregroundColor: '#ffffff',
  backgroundColor: '#1f2a6b',
  labelColor: null,
  sharingProhibited: false,
  codeFormat: 'qr',
  locations: [],
  startDate: null,
  location: null,
  primaryLabel: 'Member',
  archivedAt: null,
  fields: [{ key: 'level', label: 'Level', value: 'Gold' }],
  backFields: [],
};

export const pass = {
  serialNumber: 'ada-lovelace',
  code: 'ADA-0001',
  validFrom: null,
  expiresAt: null,
  voidedAt: null,
  expiredAt: null,
  redeemedAt: null,
  primaryValue: 'Ada Lovelace',
  locations: [],
  fields: [],
  backFields: [],
};

/** The address where phones request changes of the pass, and the token that they send. */
export const webService = {
  webServiceUrl: 'https://gym.example.com/wallet',
  authenticationToken: 'a secret of this pass alone',
};
