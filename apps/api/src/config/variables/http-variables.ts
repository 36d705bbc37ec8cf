import { z } from 'zod';
import { httpUrl, origins, wholeNumber } from './variable-forms.js';

/** The variables of the HTTP server and its limits. */
export const httpVariables = {
  HOST: {
    schema: z.string().optional(),
    about: 'Address to listen on. Default: 127.0.0.1 in development, 0.0.0.0 in production.',
    example: '0.0.0.0',
  },
  PORT: { schema: wholeNumber(0, 65535).default(3000), about: 'Port to listen on. Default: 3000.', example: '3000' },
  BASE_URL: {
    schema: httpUrl,
    about:
      'Public address of the service; every link begins with it, and phones call it. Default: http://localhost:PORT.',
    example: 'https://passes.example.com',
  },
  TRUST_PROXY: {
    schema: wholeNumber(0, 10).default(0),
    about:
      'Number of reverse proxies in front of the service, so that limits count the client and not the proxy. Default: 0.',
    example: '1',
  },
  CONNECTIONS_PER_ADDRESS: {
    schema: wholeNumber(0, 1_000_000).default(2000),
    about:
      'Maximum number of connections of one address to a node; 0 for no limit. Not counted with TRUST_PROXY. Default: 2000.',
    example: '2000',
  },
  RATE_LIMIT_PER_MINUTE: {
    schema: wholeNumber(0, 10_000_000).default(30_000),
    about:
      'Maximum number of requests per minute over all nodes: of all accounts of one founder, or of one address on public routes; 0 for no limit.',
    example: '30000',
  },
  CORS_ORIGINS: {
    schema: origins,
    about:
      'Origins (comma-separated) whose pages may call the API from browsers, with the token of a user. Default: none.',
    example: 'https://shop.example.com,http://localhost:5173',
  },
};
