import { appError } from '@passwright/core';

/** 400: an image cannot be fetched or cannot be used. */
export class ImageInvalid extends appError(400, 'image_invalid') {
  /**
   * @param property the wrong property or part of the request. @param problem a clause that says what is wrong and
   * what would be right
   */
  constructor(property: string, problem: string) {
    super(`${property}: ${problem}`);
  }
}
