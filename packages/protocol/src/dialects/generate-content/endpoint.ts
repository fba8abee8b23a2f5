import type { DialectEndpoint } from '../dialect.ts'

export const endpoint: DialectEndpoint = {
  basePath: '/v1beta',
  path: '/{model}:{method}',
  modelsPath: '/models',
  credential: 'x-goog-api-key',
  fillPath(path, model, stream) {
    const name = /^(models|tunedModels)\//.test(model) ? model : `models/${model}`
    const encoded = encodeURI(name).replaceAll('?', '%3F').replaceAll('#', '%23')
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
    return path.replace('{model}', () => encoded).replace('{method}', method)
  },
}
