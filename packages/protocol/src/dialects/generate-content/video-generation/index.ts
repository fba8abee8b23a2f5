import type { VideoService } from '../../video-service.ts'
import { decodeOperation } from './decode-operation.ts'
import { encodeRequest } from './encode-request.ts'

export const videoService: VideoService = {
  takesUrls: false,
  submit: (request, target, codec) => ({
    method: 'POST',
    path: `/${modelPath(target.model)}:predictLongRunning`,
    body: encodeRequest(request, target, codec),
  }),
  // The name of an operation is a path.
  query: (name) => ({ method: 'GET', path: `/${encodeURI(name)}` }),
  decodeSubmitted: decodeOperation,
  decodeTask: decodeOperation,
}

function modelPath(model: string): string {
  const name = /^(models|tunedModels)\//.test(model) ? model : `models/${model}`
  return encodeURI(name).replaceAll('?', '%3F').replaceAll('#', '%23')
}
