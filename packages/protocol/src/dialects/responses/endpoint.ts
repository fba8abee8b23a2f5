import type { DialectEndpoint } from '../dialect.ts'

export const endpoint: DialectEndpoint = {
  basePath: '/v1',
  path: '/responses',
  modelsPath: '/models',
  countPath: (path) => `${path}/input_tokens`,
  credential: 'bearer',
}
