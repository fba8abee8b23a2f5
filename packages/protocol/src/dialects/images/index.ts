import { BEARER, type DialectDescription } from '../dialect.ts'
import { decodeError, encodeError, encodeStreamError } from './error.ts'

export const images: DialectDescription = {
  id: 'images',
  credential: BEARER,
  endpoint: { basePath: '/v1', path: '/images/generations', modelsPath: '/models', credential: 'bearer' },
  carriedHeaders: [],
  ...{ encodeError, encodeStreamError, decodeError },
}
