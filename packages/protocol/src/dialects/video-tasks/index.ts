import { BEARER, type DialectDescription } from '../dialect.ts'
import type { VideoService } from '../video-service.ts'
import { decodeError, encodeError, encodeStreamError } from './error.ts'
import { encodeRequest } from './request/encode-request.ts'
import { decodeList, decodeSubmitted, decodeTask } from './task/decode-task.ts'

const PATH = '/contents/generations/tasks'

export const videoTasks: DialectDescription = {
  id: 'video-tasks',
  credential: BEARER,
  endpoint: { basePath: '/api/v3', path: PATH, modelsPath: '/models', credential: 'bearer' },
  carriedHeaders: [],
  encodeError,
  encodeStreamError,
  decodeError,
}

export const videoService: VideoService = {
  takesUrls: true,
  submit: (request, target, codec) => ({ method: 'POST', path: PATH, body: encodeRequest(request, target, codec) }),
  query: (id) => ({ method: 'GET', path: `${PATH}/${encodeURIComponent(id)}` }),
  list: ({ page, pageSize }) => ({ method: 'GET', path: `${PATH}?page_num=${page}&page_size=${pageSize}` }),
  cancel: (id) => ({ method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}` }),
  decodeSubmitted,
  decodeTask,
  decodeList,
}
