import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf, textOfPieces } from '../../../../fixtures/buffer-codec.ts'
import { RequestError } from '../../../canonical/reading.ts'
import { editFlags, findFlags, plainPrompt } from '../../shared/videos/prompt-flags.ts'
import type { VideoTarget } from '../../video-service.ts'
import { decodeVideoRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'
import { checkVideoLimits, readingsOf } from './readings.ts'

const text = (written: string) => ({ type: 'text', text: written })
const image = (role?: string, url = 'https://x.test/a.png') => ({
  type: 'image_url',
  image_url: { url },
  ...(role === undefined ? {} : { role }),
})
const decodeText = (body: string) => decodeVideoRequest(bytesOf(body), bufferCodec)
const decode = (body: object) => decodeText(JSON.stringify({ model: 'vid', content: [text('a cat')], ...body }))

function errorOf(run: () => unknown): [param: string | undefined, message: string] {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof RequestError) return [thrown.info.param, thrown.info.message]
    throw thrown
  }
  throw new Error('nothing was thrown')
}

describe('a submit', () => {
  test('with every field, and one that is unknown', () => {
    const { json, ...request } = decode({
      resolution: '1080P',
      ratio: '16:9',
      duration: 5,
      framespersecond: 24,
      seed: 7,
      camera_fixed: true,
      watermark: false,
      generate_audio: true,
      callback_url: 'https://c.test/x',
      service_tier: 'flex',
      return_last_frame: true,
      draft: false,
      execution_expires_after: 3600,
      safety_identifier: 'u1',
      tools: [{ type: 'web_search' }],
      frames: null,
      subdivision_level: { x: 1.0 },
    })
    expect(request as unknown).toEqual({
      attribution: { endUser: 'u1', own: [] },
      model: 'vid',
      mode: 'text',
      texts: [{ item: 0, text: 'a cat', flags: [] }],
      inputs: [],
      settings: {
        resolution: '1080p',
        ratio: '16:9',
        duration: 5,
        framesPerSecond: 24,
        seed: 7,
        cameraFixed: true,
        watermark: false,
      },
      conflicts: [],
      callbackUrl: 'https://c.test/x',
      returnLastFrame: true,
      generateAudio: true,
      draft: false,
      serviceTier: 'flex',
      expiresAfter: 3600,
      safetyIdentifier: 'u1',
      tools: ['web_search'],
      unknown: [{ name: 'subdivision_level', text: '{"x":1}' }],
    })
  })

  test.each<[what: string, content: object[], mode: string, roles: string[]]>([
    ['an image without a role', [image()], 'first_frame', ['first_frame']],
    [
      'two frames',
      [text('x'), image('first_frame'), image('last_frame')],
      'first_last_frame',
      ['first_frame', 'last_frame'],
    ],
    [
      'references',
      [
        image('reference_image'),
        { type: 'video_url', video_url: { url: 'https://x.test/a.mp4' }, role: 'reference_video' },
        { type: 'audio_url', audio_url: { url: 'https://x.test/a.mp3' } },
      ],
      'reference',
      ['reference_image', 'reference_video', 'reference_audio'],
    ],
    ['a draft', [{ type: 'draft_task', draft_task: { id: 'cgt-1' } }], 'draft', ['draft_task']],
  ])('%s', (_, content, mode, roles) => {
    const request = decode({ content })
    expect([request.mode as string, request.inputs.map(({ role }) => role as string)]).toEqual([mode, roles])
  })

  test('inline images and assets', () => {
    const { inputs } = decode({
      content: [image('reference_image', 'data:image/png;base64,AAAA'), image('reference_image', 'asset://a-1')],
    })
    expect(inputs.map(({ source }) => source)).toEqual([
      { kind: 'inline', mediaType: 'image/png', base64: 'AAAA', bytes: 3 },
      { kind: 'asset', id: 'asset://a-1' },
    ])
  })

  const large = `data:image/png;base64,${'A'.repeat(40_000_004)}`
  test.each<[body: object, param: string, message: string]>([
    [{ model: null }, 'model', 'model is required'],
    [{ content: undefined }, 'content', 'content is required'],
    [{ content: [] }, 'content', 'content must not be empty'],
    [{ content: [3] }, 'content[0]', 'content[0] must be an object'],
    [{ content: [text(' ')] }, 'content[0].text', 'content[0].text must not be empty'],
    [{ content: [{ type: 'text' }] }, 'content[0].text', 'content[0].text is required'],
    [{ content: [{ type: 'film' }] }, 'content[0].type', 'content[0].type must be one of text, image_url'],
    [{ content: [{ ...image(), text: 'x' }] }, 'content[0].text', 'content[0].text must not be set'],
    [{ content: [image('middle_frame')] }, 'content[0].role', 'content[0].role must be one of first_frame'],
    [{ content: [image(), image()] }, 'content[1].role', 'content must not have two images with the role first_frame'],
    [{ content: [image('last_frame')] }, 'content[0].role', 'needs one with the role first_frame'],
    [{ content: [image(), image('reference_image')] }, 'content[1].role', 'References must not be mixed'],
    [{ content: Array(10).fill(image('reference_image')) }, 'content[9]', 'more than 9 items of type image_url'],
    [{ content: [{ type: 'image_url', image_url: 'https://x.test' }] }, 'content[0].image_url', 'must be an object'],
    [{ content: [image('mask', 'ftp://x')] }, 'content[0].image_url.url', 'must be an http or https URL'],
    [
      { content: [image('mask', 'data:text/plain;base64,AA==')] },
      'content[0].image_url.url',
      'must have the type image/',
    ],
    [{ content: [image('mask', 'data:image/png;base64,A-A=')] }, 'content[0].image_url.url', 'must be valid base64'],
    [{ content: [image('mask', large)] }, 'content[0].image_url.url', 'must not be larger than 30 MB'],
    [{ content: [text('x'), { type: 'draft_task', draft_task: { id: 'c' } }] }, 'content[1]', 'must be the only item'],
    [{ content: [{ ...text('x'), Text: 'y' }] }, 'content[0].Text', 'Write text.'],
    [{ resolution: 'big' }, 'resolution', 'resolution must be a resolution such as 480p, 720p or 1080p'],
    [{ ratio: '16x9' }, 'ratio', "ratio must be a ratio such as 16:9, or 'adaptive'"],
    [{ duration: 0 }, 'duration', 'duration must be a whole number of seconds between 1 and 120'],
    [{ duration: '5' }, 'duration', 'duration must be a whole number of seconds'],
    [{ seed: 4294967296 }, 'seed', 'seed must be a whole number between -1 and 4294967295'],
    [{ watermark: 'no' }, 'watermark', 'watermark must be true or false'],
    [{ callback_url: 'x' }, 'callback_url', 'callback_url must be an http or https URL'],
    [{ execution_expires_after: 5 }, 'execution_expires_after', 'between 3600 and 259200'],
    [
      { content: [text('a --dur 500')] },
      'content[0].text',
      "content[0].text: --dur must be a whole number of seconds between 1 and 120, or -1 for a length that the model chooses, not '500'",
    ],
    [{ content: [text('a --rs huge')] }, 'content[0].text', '--rs must be a resolution'],
  ])('%p', (body, param, message) => {
    const [found, said] = errorOf(() => decode(body))
    expect(found).toBe(param)
    expect(said).toContain(message)
  })
})

describe('flags', () => {
  test.each<[written: string, flags: [setting: string, value: unknown, at: string][]]>([
    [
      'a cat --rs 1080p --rt 16:9 --dur 5 --fps 24 --seed 1 --cf true --wm false',
      [
        ['resolution', '1080p', '--rs 1080p'],
        ['ratio', '16:9', '--rt 16:9'],
        ['duration', 5, '--dur 5'],
        ['framesPerSecond', 24, '--fps 24'],
        ['seed', 1, '--seed 1'],
        ['cameraFixed', true, '--cf true'],
        ['watermark', false, '--wm false'],
      ],
    ],
    [
      '--resolution 720P --ratio adaptive --duration=10 --framespersecond 30 --camerafixed FALSE --watermark true --frames 57',
      [
        ['resolution', '720p', '--resolution 720P'],
        ['ratio', 'adaptive', '--ratio adaptive'],
        ['duration', 10, '--duration=10'],
        ['framesPerSecond', 30, '--framespersecond 30'],
        ['cameraFixed', false, '--camerafixed FALSE'],
        ['watermark', true, '--watermark true'],
        ['frames', 57, '--frames 57'],
      ],
    ],
    ['一只猫--dur 5，再来', [['duration', 5, '--dur 5']]],
    ['--DUR\u3000 5. Then', [['duration', 5, '--DUR\u3000 5']]],
    ['--dur --rs 720p', [['resolution', '720p', '--rs 720p']]],
    ['--seed -1', [['seed', -1, '--seed -1']]],
    ['---dur 5, --durable 5, a - - dur 5, --style film, ends --dur', []],
  ])('%s', (written, flags) => {
    const found = findFlags(written, 'x')
    expect(found.map((flag) => [flag.setting, flag.value, written.slice(flag.start, flag.end)])).toEqual(
      flags as [never, never, string][],
    )
    for (const flag of found) expect(written.slice(flag.valueStart, flag.valueEnd)).toMatch(/^[^\s=]+$/)
  })

  test('are edited in place and removed', () => {
    const written = 'a cat --dur 5 runs --rs 720p.'
    const flags = findFlags(written, 'x')
    expect(editFlags(written, flags, ({ setting }) => (setting === 'duration' ? 12 : undefined))).toBe(
      'a cat --dur 12 runs --rs 720p.',
    )
    expect(editFlags(written, flags, () => undefined)).toBe(written)
    expect(plainPrompt([{ item: 0, text: written, flags }])).toBe('a cat runs.')
  })

  test('and fields that differ are both reported; the field decides', () => {
    const request = decode({ duration: 5, resolution: '720p', content: [text('x --dur 9 --dur 3 --rs 720p --seed 4')] })
    expect(request.settings).toEqual({ resolution: '720p', duration: 5, seed: 4 })
    expect(request.conflicts).toEqual([
      { setting: 'duration', values: [5, 3, 9], at: ['duration', 'content[0].text', 'content[0].text'] },
    ])
    expect(readingsOf(request)).toEqual({
      resolutions: ['720p'],
      seconds: [5, 3, 9],
      modelChoosesLength: false,
      framesPerSecond: 24,
      inputVideoSeconds: 0,
    })
  })
})

test.each<[body: object, seconds: number[], modelChooses: boolean]>([
  [{}, [], false],
  [{ duration: -1 }, [], true],
  [{ frames: 48, duration: 5 }, [2, 5], false],
  [{ frames: 48, framespersecond: 12 }, [4], false],
])('the length of %p', (body, seconds, modelChooses) => {
  expect(readingsOf(decode(body))).toMatchObject({ resolutions: [], seconds, modelChoosesLength: modelChooses })
})

test('the rate and the videos in a request count for its price', () => {
  const film = { type: 'video_url', role: 'reference_video', video_url: { url: 'https://a.example.com/v.mp4' } }
  const body = { framespersecond: 12, content: [text('x --fps 30'), film] }
  expect(readingsOf(decode(body))).toMatchObject({ framesPerSecond: 30, inputVideoSeconds: 30 })
  expect(readingsOf(decode({ framespersecond: 12 }))).toMatchObject({ framesPerSecond: 24 })
})

test.each<[body: object, param: string, message: string]>([
  [{ duration: 3 }, 'duration', "duration 3 is not available for model 'vid'. Allowed: 4 to 12 seconds."],
  [{ duration: 5, content: [text('x --dur 13')] }, 'content[0].text', 'duration 13 is not available'],
  [
    { content: [text('x --rs 1080p')] },
    'content[0].text',
    "resolution '1080p' is not available for model 'vid'. Allowed: 720p.",
  ],
  [{ ratio: '1:1' }, 'ratio', "ratio '1:1' is not available"],
  [{ frames: 290 }, 'frames', 'frames 290 is not available'],
  [{ content: [image('first_frame'), image('last_frame')] }, 'content[1]', "Model 'vid' takes at most 1 images"],
])('limits of a model: %p', (body, param, message) => {
  const limits = { seconds: [4, 12], resolutions: ['720p'], ratios: ['16:9'], images: 1 } as const
  const [found, said] = errorOf(() => checkVideoLimits(decode(body), limits))
  expect(found).toBe(param)
  expect(said).toContain(message)
  expect(() => checkVideoLimits(decode({ duration: 12, frames: 289 }), limits)).not.toThrow()
})

describe('toward an upstream of the same dialect', () => {
  const encode = (body: string, target: Partial<VideoTarget> = {}) =>
    textOfPieces(
      encodeRequest(decodeText(body), { model: 'film-1', defaults: {}, warn: () => {}, ...target }, bufferCodec),
    )
  const [head, item] = ['{ "model" : "vid",', '{"type":"text",  "text":"caf\\u00e9 --dur 5","x":1.0}']

  test('bytes stay; the model is replaced, callback_url removed, defaults are added', () => {
    expect(encode(`${head}"callback_url":"https://c.test", "new":1.50,"content":[${item}]}`)).toBe(
      `{ "model" : "film-1","new":1.50,"content":[${item}]}`,
    )
    const defaults = { duration: 7, resolution: '720p', watermark: false }
    expect(encode(`${head}"resolution":null,"content":[${item}]}`, { defaults, reference: 'task-1' })).toBe(
      `{ "model" : "film-1","resolution":"720p","content":[${item}],"safety_identifier":"task-1","watermark":false}`,
    )
  })

  test('an override changes fields and flags', () => {
    expect(
      encode(`${head}"duration":3,"content":[${item},{"type":"text","text":"b"}]}`, { override: { duration: 8 } }),
    ).toBe(
      '{ "model" : "film-1","duration":8,"content":[{"type":"text",  "text":"café --dur 8","x":1.0},{"type":"text","text":"b"}]}',
    )
    expect(encode(`${head}"content":[${item}]}`, { override: { duration: 8 } })).not.toContain('"duration"')
  })

  test('a length in frames gets no default duration', () => {
    expect(
      encode(`${head}"frames":57,"content":[${item.replace(' --dur 5', '')}]}`, { defaults: { duration: 5 } }),
    ).not.toContain('duration')
  })
})
