import type { DialectEndpoint } from '../dialect.ts'

export const endpoint: DialectEndpoint = {
  basePath: '/v1',
  path: '/responses',
  modelsPath: '/models',
  credential: 'bearer',
}
