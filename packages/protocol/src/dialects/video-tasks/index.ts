import { BEARER, type DialectDescription } from '../dialect.ts'
import { decodeError, encodeError, encodeStreamError } from './error.ts'

export const videoTasks: DialectDescription = {
  id: 'video-tasks',
  credential: BEARER,
  endpoint: { basePath: '/api/v3', path: '/contents/generations/tasks', modelsPath: '/models', credential: 'bearer' },
  carriedHeaders: [],
  ...{ encodeError, encodeStreamError, decodeError },
}
