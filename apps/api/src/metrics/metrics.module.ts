import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { MetricsController } from './metrics.controller.js';
import { MetricsOptions } from './metrics.options.js';
import { MetricsService } from './metrics.service.js';
import { ServiceStateRepository } from './service-state.repository.js';

/** Serves `/metrics`. Provides `MetricsService`, which counts requests. */
@Module({ providers: [MetricsService, ServiceStateRepository], exports: [MetricsService] })
export class MetricsModule extends rootModule(MetricsOptions, [MetricsController]) {}
