// What models accept besides text: by the file, else by the well-known models behind their routes, else unknown.
import { describe, expect, test } from 'bun:test'
import { BUILT_IN } from '../server/config.ts'
import { assemble } from './assemble.ts'
import { formatMistakes } from './format-mistakes.ts'

const UPSTREAMS = `
sandbox: true
upstreams:
  - { id: main, dialect: chat, base_url: "https://api.example.com/v1", keys: [k] }
  - { id: pictures, dialect: images, base_url: "https://api.example.com/v1", keys: [k] }
  - { id: films, dialect: video-tasks, base_url: "https://api.example.com/api/v3", keys: [k] }
models:
`
const TEXT = 'price: { input: 1, output: 1 }'
const IMAGE = 'type: image, price: { per_image: 1 }'
const VIDEO = 'type: video, price: { per_second: 1 }'
const route = (upstream: string, ...models: string[]) =>
  `routes: [${models.map((model) => `{ upstream: ${upstream}, model: "${model}" }`).join(', ')}]`

function load(model: string, env: Record<string, string> = {}) {
  return assemble({ source: model === '' ? '' : `${UPSTREAMS}  - { id: m, ${model} }`, file: 'f', env }, BUILT_IN)
}
function capabilitiesOfModel(model: string, id = 'm', env: Record<string, string> = {}) {
  const { config, mistakes } = load(model, env)
  if (!config) throw new Error(formatMistakes(mistakes))
  return config.models.get(id)?.capabilities
}

describe('the file', () => {
  test.each([
    ['capabilities: [reasoning, images]', ['images', 'reasoning']],
    ['capabilities: [tools, tools]', ['tools']],
    ['capabilities: []', []],
  ])('%s is as written, whatever is known', (capabilities, expected) => {
    expect(capabilitiesOfModel(`${TEXT}, ${capabilities}, ${route('main', 'gpt-4.1')}`)).toEqual(expected as never)
  })

  test('is preferred for images and videos, too', () => {
    expect(capabilitiesOfModel(`${IMAGE}, capabilities: [], ${route('pictures', 'gpt-image-2')}`)).toEqual([])
    expect(capabilitiesOfModel(`${VIDEO}, capabilities: [images], ${route('films', 'mine')}`)).toEqual(['images'])
  })

  test.each([
    [`${TEXT}, capabilities: images`, 'capabilities: expected a list, such as [images, tools, reasoning]'],
    [`${TEXT}, capabilities: [audio]`, 'capabilities[0]: expected one of images, tools, reasoning, not "audio"'],
    [`${IMAGE}, capabilities: [images, tools]`, 'capabilities[1]: expected images, not "tools"'],
  ])('%s is a mistake', (fields, message) => {
    const upstream = fields.includes('image,') ? 'pictures' : 'main'
    expect(formatMistakes(load(`${fields}, ${route(upstream, 'x')}`).mistakes)).toContain(message)
  })
})

test.each([
  ['a listed model', `${TEXT}, ${route('main', 'gpt-4.1')}`, ['images', 'tools']],
  ['its snapshot', `${TEXT}, ${route('main', 'gpt-5.5-2026-04-23')}`, ['images', 'tools', 'reasoning']],
  [
    'the name of a reseller',
    `${TEXT}, ${route('main', 'anthropic/claude-opus-4.5')}`,
    ['images', 'tools', 'reasoning'],
  ],
  ['an older model', `${TEXT}, ${route('main', 'o3-mini')}`, ['tools', 'reasoning']],
  ['a model that is not known', `${TEXT}, ${route('main', 'my-own')}`, undefined],
  ['only what all known routes accept', `${TEXT}, ${route('main', 'gpt-4o', 'my-own', 'o3-mini')}`, ['tools']],
  ['the embedded model', `${TEXT}, ${route('sandbox', 'sandbox-text')}`, ['images', 'tools', 'reasoning']],
  ['an image model that edits', `${IMAGE}, ${route('pictures', 'gpt-image-2')}`, ['images']],
  ['an image model that is not known', `${IMAGE}, ${route('pictures', 'mine')}`, undefined],
  ['a video model by its limits', `${VIDEO}, ${route('films', 'seedance-1-0-pro-fast-251015')}`, ['images']],
  ['a video model without images', `${VIDEO}, limits: { images: 0 }, ${route('films', 'mine')}`, []],
  ['a video model that is not known', `${VIDEO}, ${route('films', 'mine')}`, undefined],
])('without it: %s', (_, model, expected) => expect(capabilitiesOfModel(model)).toEqual(expected as never))

test('models of a vendor from the environment, and the embedded ones', () => {
  expect(capabilitiesOfModel('', 'gpt-4o', { OPENAI_API_KEY: 'k' })).toEqual(['images', 'tools'])
  expect(capabilitiesOfModel('', 'gpt-image-2', { OPENAI_API_KEY: 'k' })).toEqual(['images'])
  expect(['sandbox-text', 'sandbox-image', 'sandbox-video'].map((id) => capabilitiesOfModel('', id))).toEqual([
    ['images', 'tools', 'reasoning'],
    ['images'],
    ['images'],
  ])
})

test('the list says what its text and image models accept, except for those that are unconfirmed', () => {
  const models = BUILT_IN.priceList().vendors.flatMap((vendor) => vendor.models)
  const of = models.filter(({ type }) => type === 'text' || type === 'image')
  const silent = of.filter(({ id }) => BUILT_IN.capabilities(id) === undefined)
  expect(silent.map(({ id }) => id)).toEqual(['seed-1-6-250915', 'seed-1-6-flash-250715'])
})
