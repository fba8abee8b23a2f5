// Video models in the file: their limits, routes and prices, and the mistakes that an operator can make with them.
import { expect, test } from 'bun:test'
import { assemble } from './assemble.ts'

function load(source: string) {
  const { config, mistakes } = assemble({ source, file: '/etc/trivium.yaml', env: {} })
  if (!config) throw new Error(JSON.stringify(mistakes))
  return config
}
const lines = (source: string) =>
  assemble({ source, file: '/etc/trivium.yaml', env: {} }).mistakes.map(({ line, message }) => `${line}: ${message}`)

const media = (type: string, fields: string, more = '') =>
  `models: [{ id: m, type: ${type}, routes: [{ upstream: sandbox }], price: { ${fields} }, ${more} }]`
const video = (fields: string) => media('video', 'per_second: 1', `limits: { ${fields} }`)
const routed = (model: string, dialect: string, path: string) =>
  `upstreams: [{ id: up, dialect: ${dialect}, base_url: "https://a.example.com${path}", keys: [none] }]
models: [{ id: m, routes: [{ upstream: up }], ${model} }]`

test('limits of video models: those of the file, then those of the model behind the route', () => {
  const { models, upstreams, retention, callbacks } = load(`models:
  - { id: all, type: video, routes: [{ upstream: up }], price: { per_second: 1, variants: { 4K: 2 } }, limits: { seconds: [4, 12], default_seconds: 5, resolutions: [720P, 4k], default_resolution: 4K, ratios: ["16:9", adaptive], images: 0 } }
  - { id: none, type: video, routes: [{ upstream: up }], price: { per_second: 1 } }
  - { id: demo, type: video, routes: [{ upstream: sandbox }], price: { per_second: 1 }, limits: { seconds: [1, 3], images: 1 } }
upstreams: [{ id: up, dialect: video-tasks, base_url: "https://a.example.com/api/v3", keys: [none], timeouts: { total: 2h } }, { id: other, dialect: video-tasks, base_url: "https://a.example.com/api/v3", keys: [none], timeouts: { idle: 2m } }]
sandbox: true
retention: { tasks: 1h }
callbacks: { allow_private: true }
`)
  expect(models.get('all')?.limits).toEqual({
    seconds: [4, 12],
    defaultSeconds: 5,
    resolutions: ['720p', '4k'],
    defaultResolution: '4k',
    ratios: ['16:9', 'adaptive'],
    images: 0,
  })
  expect(models.get('none')?.limits).toEqual({})
  // The known default of 5 seconds does not fit.
  expect(models.get('demo')?.limits).toEqual({
    seconds: [1, 3],
    resolutions: ['480p', '720p', '1080p'],
    defaultResolution: '480p',
    images: 1,
  })
  expect(upstreams.get('up')).toMatchObject({
    taskDeadlineMs: 7_200_000,
    videos: { credential: 'bearer' },
    endpoints: [],
  })
  expect(upstreams.get('other')).not.toHaveProperty('taskDeadlineMs')
  expect([retention.tasks, callbacks.allowPrivate]).toEqual([3_600_000, true])
})

// [what, source, the one line expected (a part of it)]
const VIDEO_LIMITS: [string, string, string][] = [
  ['limits of a text model for a video', video('context: 1'), 'limits.context: counts tokens'],
  ['sizes of a video', video('sizes: [64x64]'), 'limits.sizes: applies to image models only'],
  ['one number of seconds', video('seconds: 5'), 'limits.seconds: expected a list, such as [4, 12]'],
  ['three numbers of seconds', video('seconds: [1, 2, 3]'), 'limits.seconds: expected the shortest and the longest'],
  ['seconds in the wrong order', video('seconds: [12, 4]'), 'limits.seconds: 12 is more than 4; write the shortest'],
  ['parts of seconds', video('seconds: [0.5, 4]'), 'limits.seconds[0]: expected a whole number from 1 to 120'],
  [
    'a default that is too long',
    video('seconds: [4, 12], default_seconds: 13'),
    'limits.default_seconds: 13 is outside of seconds, which is 4 to 12',
  ],
  ['a size as a resolution', video('resolutions: [1280x720]'), 'expected a resolution such as 480p, 720p or 1080p'],
  ['no resolutions', video('resolutions: []'), 'limits.resolutions: the list is empty; remove it, or name the'],
  [
    'a default that is not offered',
    video('resolutions: [720p, 1080p], default_resolution: 480p'),
    'limits.default_resolution: "480p" is not among the resolutions 720p, 1080p',
  ],
  ['a ratio of nothing', video('ratios: ["16:0"]'), 'limits.ratios[0]: expected a ratio such as 16:9'],
  ['fewer images than none', video('images: -1'), 'limits.images: expected a whole number from 0 to 100'],
]

const OTHERS: [string, string, string][] = [
  [
    'a variant of a resolution that is not offered',
    media('video', 'per_second: 1, variants: { 4k: 2 }', 'limits: { resolutions: [720p] }'),
    'price.variants.4k: "4k" is not a variant; write one of limits.resolutions: 720p',
  ],
  ['fallbacks of a video', media('video', 'per_second: 1', 'fallbacks: [a]'), 'fallbacks: text models only have'],
  [
    'a video model on a text upstream',
    routed('type: video', 'chat', '/v1'),
    '"up" has the dialect chat; a video model needs an upstream with the dialect video-tasks or generate-content',
  ],
  [
    'a video model on an images upstream',
    routed('type: video', 'images', '/v1'),
    '"up" has the dialect images; a video',
  ],
  [
    'a text model on a video upstream',
    routed('type: text', 'video-tasks', '/api/v3'),
    '"up" has the dialect video-tasks; a text model needs',
  ],
  [
    'an image model on a video upstream',
    routed('type: image', 'video-tasks', '/api/v3'),
    '"up" has the dialect video-tasks; an image model needs',
  ],
  ['tasks that are not kept', 'retention: { tasks: off }', 'retention.tasks: tasks are always kept for a while'],
  ['tasks that are not kept long', 'retention: { tasks: 59m }', 'retention.tasks: "59m" is out of range; write'],
  ['an unknown callback setting', 'callbacks: { private: true }', 'callbacks: unknown field "private"'],
  ['a callback setting that is no switch', 'callbacks: { allow_private: 1 }', 'expected true or false, not "1"'],
]

test.each([...VIDEO_LIMITS, ...OTHERS])('%s', (_, source, expected) => {
  const found = lines(source)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(expected)
})

test('a mistake is reported with its line', () => {
  const source = `models:
  - id: m
    type: video
    routes: [{ upstream: sandbox }]
    price:
      per_second: 1
      variants:
        1080p: 2
        4k: 3
    limits:
      seconds: [4, 12]
      default_seconds: 3
      resolutions: [720p, 1080p]
      default_resolution: 480p
`
  expect(lines(source).map((line) => line.split(':', 2).join(':'))).toEqual([
    '9: models[m].price.variants.4k',
    '12: models[m].limits.default_seconds',
    '14: models[m].limits.default_resolution',
  ])
})
