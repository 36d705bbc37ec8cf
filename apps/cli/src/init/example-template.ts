/** The images of the example template. Every installation of Passwright includes them as sample images. */
export const exampleImages = ['icon', 'logo', 'banner'] as const;

/** The id of the example and the name of its file. */
export const exampleId = 'sundown-coffee';

/** Builds a working template. @param image returns the address or path of each image */
export function exampleTemplate(image: (name: (typeof exampleImages)[number]) => string): string {
  return `# The name of this file is the id of the template. Change the template, compare it and push it:
#   passwright templates diff
#   passwright templates push
type: offer
title: 20% off
issuerName: Sundown Coffee

foregroundColor: '#ffffff'
backgroundColor: '#1f2a6b'
labelColor: '#ffd479'

# Addresses, or paths of PNG, JPEG or WebP files relative to this file.
icon: ${image('icon')}
logo: ${image('logo')}
banner: ${image('banner')}

# On the front, at most 4. A pass can have its own field under the same key.
fields:
  - key: discount
    label: Discount
    value: 20%

# On the back.
backFields:
  - key: terms
    label: Terms
    value: One coffee for each guest, until it is used.
`;
}
