/** A holder, by their e-mail address or by one pass. */
export type HolderName = { readonly email: string } | { readonly templateId: string; readonly passId: string };

/** Writes the name of a pass as people enter it. */
export function nameOfPass(templateId: string, passId: string): string {
  return `${templateId}/${passId}`;
}

export function holderInWords(name: HolderName): string {
  return 'email' in name ? name.email : nameOfPass(name.templateId, name.passId);
}
