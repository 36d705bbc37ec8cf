import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { Tagged, versionSuffix } from '@passwright/core';
import { passLinks } from '../addresses/pass-links.js';
import type { IssuedPass } from './issued-pass.js';
import { PassResponse, toPassResponse } from './pass.dto.js';

class Links {
  @ApiProperty({ description: 'The Apple Wallet package; public.' })
  walletAUrl!: string;

  @ApiProperty({ description: 'The Google Wallet save link; public.' })
  walletBUrl!: string;

  @ApiProperty({ description: 'The web view; public.' })
  webUrl!: string;
}

/** A pass with its links. */
export class PassWithLinks extends Links {
  @ApiProperty({ type: () => PassResponse })
  pass!: PassResponse;
}

/** A pass in a list, with its links among its properties. */
export class ListedPass extends IntersectionType(PassResponse, Links) {}

/** Returns the entity tag of a pass. A new pass with the id of a deleted pass has a different tag. */
export function passTag({ pass, archivedAt }: IssuedPass): string {
  return `"${pass.version}-${pass.serialNumber.slice(0, 8)}${archivedAt ? '-archived' : ''}${versionSuffix()}"`;
}

/** Returns a pass with its links and its entity tag. */
export function taggedPass(issued: IssuedPass, baseUrl: string): Tagged<PassWithLinks> {
  return new Tagged({ pass: toPassResponse(issued), ...linksOf(issued, baseUrl) }, passTag(issued));
}

export function toListedPass(issued: IssuedPass, baseUrl: string): ListedPass {
  return { ...toPassResponse(issued), ...linksOf(issued, baseUrl) };
}

function linksOf({ pass: { accountId, templateId, id: passId } }: IssuedPass, baseUrl: string): Links {
  return passLinks(baseUrl, { accountId, templateId, passId });
}
