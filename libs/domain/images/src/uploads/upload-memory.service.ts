import { Injectable } from '@nestjs/common';
import { BodyBudget } from '@passwright/http';

/** Limits the memory that a node uses for the bodies of uploads, from their arrival until their images are stored. */
@Injectable()
export class UploadMemory extends BodyBudget {
  constructor() {
    super(200 * 1024 * 1024);
  }
}
