import type { DialectEndpoint } from '../../text-dialect.ts'

export const endpoint: DialectEndpoint = {
  basePath: '/v1',
  path: '/responses',
  modelsPath: '/models',
  credential: 'bearer',
}
