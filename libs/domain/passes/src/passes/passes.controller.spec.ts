import { GUARDS_METADATA, INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { DevelopmentSigningGuard } from '@passwright/core';
import { PassesController } from './passes.controller.js';

it('routes that read passes have no interceptor, because it would be slower than the read itself', () => {
  const { get, list } = PassesController.prototype;
  const intercepted = [PassesController, get, list].filter((each) => Reflect.hasMetadata(INTERCEPTORS_METADATA, each));
  expect(intercepted).toEqual([]);
  expect(Reflect.getMetadata(GUARDS_METADATA, PassesController)).toContain(DevelopmentSigningGuard);
});
