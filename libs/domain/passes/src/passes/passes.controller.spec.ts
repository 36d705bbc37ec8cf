import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { DevelopmentSigningGuard } from '@passwright/core';
import { PassesController } from './passes.controller.js';

it('reads of passes have no interceptor, which would cost more than the read', () => {
  const { get, list } = PassesController.prototype;
  const intercepted = [PassesController, get, list].filter((each) => Reflect.hasMetadata(INTERCEPTORS_METADATA, each));
  expect(intercepted).toEqual([]);
  expect(Reflect.getMetadata(GUARDS_METADATA, PassesController)).toContain(DevelopmentSigningGuard);
});
