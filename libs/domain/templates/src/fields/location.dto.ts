import { NumberIn, Text } from '@passwright/core';
import type { RenderLocation } from '@passwright/wallet-renderers';

/** A place where passes appear on the lock screen. */
export class Location implements RenderLocation {
  @Text({ description: 'Name of the place.', max: 200, optional: true, example: 'City Hall' })
  name?: string;

  @Text({ description: 'Address of the place.', max: 500, multiline: true, example: 'Rådhusplassen 1, 0037 Oslo' })
  address!: string;

  @NumberIn({ description: 'In degrees.', min: -90, max: 90, example: 59.9122 })
  latitude!: number;

  @NumberIn({ description: 'In degrees.', min: -180, max: 180, example: 10.7334 })
  longitude!: number;

  @Text({
    description: 'The text on the lock screen on arrival. Default: the name, or else the address. Wallet A only.',
    max: 300,
    optional: true,
    example: 'Show your pass at the counter',
  })
  relevantText?: string;
}
