import type { DialectEndpoint } from '../dialect.ts'

export const endpoint: DialectEndpoint = {
  basePath: '',
  path: '/v1/messages',
  modelsPath: '/v1/models',
  countPath: (path) => `${path}/count_tokens`,
  credential: 'x-api-key',
  headers: { 'anthropic-version': '2023-06-01' },
}
