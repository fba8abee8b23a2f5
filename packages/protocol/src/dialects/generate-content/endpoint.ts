import type { DialectEndpoint } from '../dialect.ts'

export const endpoint: DialectEndpoint = {
  basePath: '/v1beta',
  path: '/{model}:{method}',
  modelsPath: '/models',
  credential: 'x-goog-api-key',
  countPath: (path, model) => filled(path, model, 'countTokens'),
  fillPath: (path, model, stream) => filled(path, model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
}

/** The model's name as a resource: some are not in `models/`. */
export const resourceName = (model: string): string =>
  /^(models|tunedModels)\//.test(model) ? model : `models/${model}`

/** The path of an upstream's endpoint for a model and a method. */
export function filled(path: string, model: string, method: string): string {
  const encoded = encodeURI(resourceName(model)).replaceAll('?', '%3F').replaceAll('#', '%23')
  return path.replace('{model}', () => encoded).replace('{method}', method)
}
