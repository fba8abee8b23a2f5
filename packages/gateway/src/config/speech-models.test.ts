// Speech models in the file: prices of three kinds, limits and routes, and the mistakes that an operator can make with them.
import { expect, test } from 'bun:test'
import { assemble } from './assemble.ts'

const load = (source: string) => assemble({ source, file: '/etc/trivium.yaml', env: {} })
const speech = (price: string, more = '') =>
  `models: [{ id: m, type: speech, routes: [{ upstream: sandbox }], price: { ${price} } ${more} }]`

test.each([
  [speech('per_million_characters: 15'), { perMillionCharacters: 15_000_000_000n }, {}],
  [speech('per_minute: 0.015', ', limits: { characters: 9 }'), { perMinute: 15_000_000n }, { characters: 9 }],
  [speech('per_minute: 0.015', ', limits: { voices: [b, a, b] }'), { perMinute: 15_000_000n }, { voices: ['b', 'a'] }],
  [speech('input: 1, audio_output: 2'), { tokens: { input: 1_000_000_000n, audioOutput: 2_000_000_000n } }, {}],
])('%s', (source, price, limits) => {
  expect(load(source).config?.models.get('m')).toMatchObject({ price, limits })
})

test.each([
  [speech(''), 'per_million_characters, per_minute, or input and audio_output are missing; USD'],
  [speech('per_minute: 1, input: 1'), 'per_minute and input cannot both be the price; keep one of them'],
  [speech('input: 1'), 'audio_output is missing; USD per million tokens; a price by the token has input and'],
  [speech('per_minute: 1, per_second: 1'), 'per_second: is not for speech models, which have per_million_characters'],
  [speech('per_minute: 1', ', limits: { characters: 0 }'), 'limits.characters'],
  [speech('per_minute: 1', ', limits: { voices: [] }'), 'the list is empty; remove it, or name the voices'],
  [speech('per_minute: 1', ', limits: { voices: [""] }'), 'expected the name of a voice'],
  [speech('per_minute: 1', ', fallbacks: [a]'), 'fallbacks: text models only have'],
  [
    `upstreams: [{ id: up, dialect: messages, base_url: "https://a.example.com", keys: [none] }]
models: [{ id: m, type: speech, routes: [{ upstream: up }], price: { per_minute: 1 } }]`,
    'needs an upstream that serves speech, or with the dialect generate-content',
  ],
])('%s: %s', (source, message) => {
  expect(load(source).mistakes.map((mistake) => mistake.message)).toEqual([expect.stringContaining(message)])
})
