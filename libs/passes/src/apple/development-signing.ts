/** The header of every answer that hands out a pass signed by the development chain, which phones refuse. */
export const developmentSigning = { 'Passwright-Signing': 'development' } as const;
