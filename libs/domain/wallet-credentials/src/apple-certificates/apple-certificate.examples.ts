/** One example body for each kind of upload, with shortened files. */
export const appleCertificateExamples = {
  'A PKCS#12 file': { value: { pkcs12: 'MIIMEAIBAzCC…', passphrase: 'correct horse battery staple' } },
  'Certificate and key': {
    value: {
      certificate: '-----BEGIN CERTIFICATE-----\nMIIG…\n-----END CERTIFICATE-----\n',
      privateKey: '-----BEGIN PRIVATE KEY-----\nMIIE…\n-----END PRIVATE KEY-----\n',
    },
  },
  'The .cer for the request made here': { value: { certificate: 'MIIGDjCCBPagAwIBAgIQ…' } },
};
