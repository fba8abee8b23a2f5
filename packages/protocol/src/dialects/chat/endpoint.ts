import type { DialectEndpoint } from '../dialect.ts'

export const endpoint: DialectEndpoint = {
  basePath: '/v1',
  path: '/chat/completions',
  modelsPath: '/models',
  credential: 'bearer',
}
