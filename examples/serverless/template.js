/** The content that all passes share; `RenderTemplate` of @passwright/wallet-renderers says what each property is. */
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
