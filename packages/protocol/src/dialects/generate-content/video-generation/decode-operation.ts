// A long-running operation that makes a video. It says only whether it is done; its response has the video.

import { type ErrorInfo, errorInfo } from '../../../canonical/error.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Decoded, UpstreamVideoTask, VideoResult, VideoTaskError } from '../../../canonical/video.ts'
import type { Codec } from '../../../framing/codec.ts'
import { decodeError } from '../error.ts'

/** Words of the video-tasks dialect, by the codes that an operation can fail with. */
const MODERATED = 'OutputVideoSensitiveContentDetected'
const FAILED = 'InternalServiceError'
const INVALID = 'InvalidParameter'

export function decodeOperation(body: Uint8Array, codec: Codec): Decoded<UpstreamVideoTask> {
  const operation = parsedJson(codec.decode(body, 0, body.length))
  if (!isObject(operation)) return failed('with something that is not a JSON object')
  const { name, done, error, response } = operation
  if (typeof name !== 'string' || !NAME.test(name))
    return isObject(error) ? { ok: false, error: decodeError(200, operation) } : failed('without an operation')
  const task = { id: name, settings: {}, unknown: [] }
  if (isObject(error))
    return { ok: true, value: { ...task, status: 'failed', error: errorOf(decodeError(200, operation)) } }
  if (done !== true) return { ok: true, value: { ...task, status: 'running' } }
  const made = isObject(response) ? response : {}
  const inner = isObject(made.generateVideoResponse) ? made.generateVideoResponse : made
  const video = videoOf(inner)
  if (video !== undefined) return { ok: true, value: { ...task, status: 'succeeded', video } }
  return { ok: true, value: { ...task, status: 'failed', error: errorOf(withoutVideo(inner)) } }
}

/** A path below the base URL, which must not lead anywhere else. */
const NAME = /^(?!.*\.\.)[\w.-]+(?:\/[\w.-]+){1,9}$/

const failed = (what: string): Decoded<never> => ({
  ok: false,
  error: errorInfo('upstream_error', `The upstream answered ${what}.`),
})

/** Two forms: one of the vendor's public API, one of its cloud. */
function videoOf({ generatedSamples, generatedVideos, videos }: Json): VideoResult | undefined {
  const samples = [generatedSamples, generatedVideos, videos].find(Array.isArray) ?? []
  for (const sample of samples.filter(isObject)) {
    const video = isObject(sample.video) ? sample.video : sample
    const { uri, encodedVideo, bytesBase64Encoded, encoding, mimeType } = video
    if (typeof uri === 'string' && /^https?:\/\//i.test(uri)) return { kind: 'url', url: uri, needsCredential: true }
    const base64 = encodedVideo ?? bytesBase64Encoded
    const mediaType = encoding ?? mimeType
    if (typeof base64 === 'string' && base64 !== '')
      return { kind: 'inline', mediaType: typeof mediaType === 'string' ? mediaType : 'video/mp4', base64 }
  }
  return undefined
}

function withoutVideo({ raiMediaFilteredCount, raiMediaFilteredReasons }: Json): ErrorInfo {
  const reasons = Array.isArray(raiMediaFilteredReasons) ? raiMediaFilteredReasons : []
  const said = reasons.filter((reason) => typeof reason === 'string').join(' ')
  if (said !== '' || (typeof raiMediaFilteredCount === 'number' && raiMediaFilteredCount > 0))
    return errorInfo('content_policy_violation', `The video was blocked by the upstream's moderation. ${said}`.trim())
  return errorInfo('upstream_error', 'The upstream finished without a video.')
}

function errorOf(info: ErrorInfo): VideoTaskError {
  const code = info.code === 'content_policy_violation' ? MODERATED : info.code === 'bad_request' ? INVALID : FAILED
  return { code, message: info.message, info }
}
