import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf, textOfPieces } from '../../../../fixtures/buffer-codec.ts'
import type { RequestError } from '../../../canonical/reading.ts'
import type { VideoInput, VideoRequest } from '../../../canonical/video.ts'
import { findFlags } from '../../shared/videos/prompt-flags.ts'
import { videoService } from './index.ts'

const PROMPT = 'a cat --dur 8 --rs 720p'
const BASE: VideoRequest = {
  model: 'vid',
  mode: 'text',
  inputs: [],
  conflicts: [],
  tools: [],
  unknown: [],
  texts: [{ item: 0, text: PROMPT, flags: findFlags(PROMPT, 'x') }],
  settings: { duration: 8, resolution: '720p' },
  json: { bytes: new Uint8Array(0), fields: [], close: 0 },
}
const input = (role: VideoInput['role'], more: Partial<VideoInput> = {}): VideoInput => ({
  item: 1,
  kind: 'image',
  role,
  source: { kind: 'inline', mediaType: 'image/png', base64: 'AAAA', bytes: 3 },
  ...more,
})

function submit(request: Partial<VideoRequest>, defaults = {}) {
  const warnings: string[] = []
  const target = {
    model: 'veo-3',
    defaults,
    warn: (field: string, reason: string) => void warnings.push(`${field};${reason}`),
  }
  const call = videoService.submit({ ...BASE, ...request }, target, bufferCodec)
  return { ...call, body: JSON.parse(textOfPieces(call.body ?? [])), warnings }
}

describe('a request', () => {
  test('of text, with flags taken out and defaults added', () => {
    expect(submit({}, { ratio: '9:16', duration: 4 })).toEqual({
      method: 'POST',
      path: '/models/veo-3:predictLongRunning',
      body: {
        instances: [{ prompt: 'a cat' }],
        parameters: { aspectRatio: '9:16', resolution: '720p', durationSeconds: 8, sampleCount: 1 },
      },
      warnings: [],
    })
  })

  test('of images', () => {
    const image = { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }
    const instance = (inputs: VideoInput[]) => submit({ inputs }).body.instances[0]
    expect(instance([input('first_frame'), input('last_frame')])).toEqual({ prompt: 'a cat', image, lastFrame: image })
    expect(instance([input('reference_image')])).toEqual({
      prompt: 'a cat',
      referenceImages: [{ image, referenceType: 'asset' }],
    })
  })

  test('with fields that have no equivalent', () => {
    const { warnings, body } = submit({
      settings: { seed: 4, cameraFixed: true, watermark: false, duration: -1, ratio: 'adaptive' },
      returnLastFrame: true,
      generateAudio: false,
      serviceTier: 'flex',
      unknown: [{ name: 'z', text: '1' }],
    })
    expect(warnings.map((warning) => warning.replace(';dropped', ''))).toEqual([
      'seed',
      'camera_fixed',
      'return_last_frame',
      'generate_audio',
      'service_tier',
      'z',
    ])
    expect(body.parameters).toEqual({ sampleCount: 1 })
  })

  test.each<[request: Partial<VideoRequest>, param: string]>([
    [{ settings: { ratio: '1:1' } }, 'ratio'],
    [{ settings: { frames: 57 } }, 'frames'],
    [{ draft: true }, 'draft'],
    [{ inputs: [input('mask')] }, 'content[1].role'],
    [{ inputs: [input('reference_video', { kind: 'video' })] }, 'content[1]'],
    [
      { inputs: [input('first_frame', { source: { kind: 'url', url: 'https://x.test' } })] },
      'content[1].image_url.url',
    ],
    [{ inputs: Array(4).fill(input('reference_image')) }, 'content[1]'],
  ])('%p is rejected', (request, param) => {
    try {
      submit(request)
      expect.unreachable()
    } catch (thrown) {
      expect((thrown as RequestError).info).toMatchObject({ code: 'unsupported_parameter', param })
    }
  })
})

const name = 'models/veo-3/operations/abc'
const samples = (video: object) => ({ generateVideoResponse: { generatedSamples: [{ video }] } })
test.each<[what: string, operation: unknown, expected: object]>([
  ['begun', { name }, { ok: true, value: { id: name, status: 'running' } }],
  [
    'done, with a URL',
    { name, done: true, response: samples({ uri: 'https://g.test/f:download?alt=media' }) },
    {
      value: {
        status: 'succeeded',
        video: { kind: 'url', url: 'https://g.test/f:download?alt=media', needsCredential: true },
      },
    },
  ],
  [
    'done, with bytes',
    { name, done: true, response: samples({ encodedVideo: 'AAAA', encoding: 'video/mp4' }) },
    { value: { status: 'succeeded', video: { kind: 'inline', mediaType: 'video/mp4', base64: 'AAAA' } } },
  ],
  [
    'done, in the form of the cloud',
    { name, done: true, response: { videos: [{ bytesBase64Encoded: 'AAAA', mimeType: 'video/webm' }] } },
    { value: { status: 'succeeded', video: { kind: 'inline', mediaType: 'video/webm', base64: 'AAAA' } } },
  ],
  [
    'blocked',
    {
      name,
      done: true,
      response: { generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['No.'] } },
    },
    {
      value: {
        status: 'failed',
        error: { code: 'OutputVideoSensitiveContentDetected', info: { code: 'content_policy_violation' } },
      },
    },
  ],
  [
    'done without a video',
    { name, done: true, response: {} },
    { value: { status: 'failed', error: { code: 'InternalServiceError', info: { code: 'upstream_error' } } } },
  ],
  [
    'failed',
    { name, done: true, error: { code: 3, message: 'Bad.', status: 'INVALID_ARGUMENT' } },
    { value: { status: 'failed', error: { code: 'InvalidParameter', info: { code: 'bad_request' } } } },
  ],
  [
    'an error',
    { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x' } },
    { ok: false, error: { code: 'rate_limit_exceeded' } },
  ],
  ['a name that leads elsewhere', { name: 'a/../../b' }, { ok: false, error: { code: 'upstream_error' } }],
  ['something else', [1], { ok: false, error: { code: 'upstream_error' } }],
])('an operation: %s', (_, operation, expected) => {
  expect(videoService.decodeTask(bytesOf(JSON.stringify(operation)), bufferCodec)).toMatchObject(expected)
})

test('where an operation is queried', () => {
  expect(videoService.query(name)).toEqual({ method: 'GET', path: `/${name}` })
})
