export { JobDiscoveryService } from './job-discovery.service.js';
