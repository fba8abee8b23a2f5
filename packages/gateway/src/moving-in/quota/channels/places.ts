// The upstreams of a channel: one, or one for each protocol and each credential of a cloud.
import { upstreamDefaults } from '../../../config/upstream-defaults.ts'
import { dialectsFor } from '../../../config/upstream-dialects.ts'
import {
  standardEndpoint,
  standardImages,
  standardServices,
  type UpstreamKind,
} from '../../../config/upstream-kinds.ts'
import type { ModelType } from '../../../modalities/index.ts'
import { isObject, jsonOf } from '../../sources/fields.ts'
import { bedrockModel } from './bedrock-models.ts'
import type { Channel } from './channel.ts'
import type { ChannelTarget } from './channel-types.ts'

export type Place = {
  /** Added to the id of the channel. */
  suffix: string
  value: Readonly<Record<string, unknown>>
  serves(type: ModelType, upstreamName: string): boolean
  /** Its name in a request, if that is another one. */
  rename?(upstreamName: string): string
}
export type Kinds = ReadonlyMap<string, UpstreamKind>

/** `problem`: why there is none. */
export function placesOf(
  channel: Channel,
  target: ChannelTarget | undefined,
  kinds: Kinds,
): { places: readonly Place[]; problem?: string } {
  if (target === undefined) return { places: [], problem: 'The type of this channel is not known.' }
  if (typeof target === 'object' && 'without' in target) {
    return { places: [], problem: `There is no upstream for ${target.without}.` }
  }
  const isKeyless = typeof target === 'object' && target.keyless === true
  if (channel.keys.length === 0 && channel.place.credentials === undefined && !isKeyless) {
    return { places: [], problem: NO_KEY }
  }
  const places =
    target === 'azure'
      ? azurePlaces(channel, kinds)
      : target === 'aws'
        ? channel.keys.flatMap((key, index) => bedrockPlaces(channel, key, { index, kinds }))
        : target === 'vertex'
          ? vertexPlaces(channel, kinds)
          : servicePlaces(channel, target === 'custom' ? ownUrl(channel) : target, kinds)
  return places.length > 0 ? { places } : { places, problem: NO_PLACE }
}

export const NO_KEY = 'It has no key that can be sent.'
export const NO_PLACE = 'Its URL or its key has a form that is not possible here. Add the upstream by hand.'

const keysOf = ({ keys }: Channel) => ({ keys: keys.length > 0 ? keys : ['none'] })

function ofKind(kinds: Kinds, kind: string, value: object, suffix = ''): Place {
  const described = kinds.get(kind)
  const { endpoints = [], images, videos, services } = described ?? {}
  const served = { ...upstreamDefaults(kind), endpoints, dialect: endpoints[0]?.dialect }
  const upstream = {
    ...served,
    ...(images ? { images } : {}),
    ...(videos ? { videos } : {}),
    ...(services ? { services } : {}),
  }
  return {
    suffix,
    value: { kind, ...value },
    serves: (type) => described !== undefined && dialectsFor(upstream, type).length > 0,
  }
}

const CHAT = {
  ...upstreamDefaults('chat'),
  dialect: 'chat' as const,
  endpoints: [standardEndpoint('chat')],
  services: standardServices(),
}
const IMAGES = { ...upstreamDefaults('images'), dialect: 'images' as const, images: standardImages() }

function servicePlaces(channel: Channel, target: Exclude<ChannelTarget, string> | undefined, kinds: Kinds): Place[] {
  if (!target || 'without' in target) return []
  const { kind, base, suffix, region } = target
  const place = suffix.replace('{other}', encodeURIComponent(channel.place.other ?? ''))
  const root = channel.baseUrl ?? base
  if (root === '') return []
  const url = suffix === '' ? (kind ? root.replace(/\/v1$/, '') : root) : `${withoutEnd(root, place)}${place}`
  const own = channel.baseUrl === undefined || channel.baseUrl === base ? (region ? { region } : {}) : { base_url: url }
  // Who sells the protocol of OpenAI under another name need not have all of it.
  if (kind !== undefined && (kind !== 'openai' || !('base_url' in own))) {
    return [ofKind(kinds, kind, { ...own, ...keysOf(channel) })]
  }
  if (!url.endsWith('/v1')) return []
  const value = { base_url: url, ...keysOf(channel) }
  return [
    { suffix: '', value: { dialect: 'chat', ...value }, serves: (type) => dialectsFor(CHAT, type).length > 0 },
    {
      suffix: '-images',
      value: { dialect: 'images', ...value },
      serves: (type) => dialectsFor(IMAGES, type).length > 0,
    },
  ]
}

const withoutEnd = (url: string, end: string): string => (url.endsWith(end) ? url.slice(0, -end.length) : url)

/** `https://HOST/v1/chat/completions` */
function ownUrl({ baseUrl = '' }: Channel): Exclude<ChannelTarget, string> | undefined {
  const base = withoutEnd(baseUrl, '/v1/chat/completions')
  return base === baseUrl ? undefined : { base, suffix: '/v1' }
}

function azurePlaces(channel: Channel, kinds: Kinds): Place[] {
  const { baseUrl, isDotless, place } = channel
  if (baseUrl === undefined) return []
  const version = place.apiVersion ? { api_version: place.apiVersion } : {}
  const found = ofKind(kinds, 'azure-classic', { base_url: `${baseUrl}/openai`, ...version, ...keysOf(channel) })
  return [isDotless ? { ...found, rename: (name) => name.replaceAll('.', '') } : found]
}

/** `ACCESS|SECRET|REGION`, or `KEY|REGION`. */
function bedrockPlaces({ place }: Channel, key: string, { index, kinds }: { index: number; kinds: Kinds }): Place[] {
  const parts = key.split('|').map((part) => part.trim())
  const region = parts.at(-1) ?? ''
  const [access_key, secret_key] = parts
  const isWhole = parts.length === (place.hasApiKey ? 2 : 3) && parts.every((part) => part !== '')
  if (!isWhole || !REGION.test(region)) return []
  const credential = place.hasApiKey
    ? { region, keys: [access_key] }
    : { region, auth: { type: 'aws', region, access_key, secret_key } }
  const found = ofKind(kinds, 'bedrock-invoke', credential, index === 0 ? '' : `-${index + 1}`)
  return [
    {
      ...found,
      serves: (type, name) => found.serves(type, name) && isClaude(name),
      rename: (name) => bedrockModel(name, region),
    },
  ]
}
const REGION = /^[a-z0-9-]{1,60}$/
const isClaude = (name: string): boolean => /claude/i.test(name)

/** One for each credential, and for Claude another one: its protocol differs. */
function vertexPlaces({ keys, place }: Channel, kinds: Kinds): Place[] {
  if (place.hasApiKey) return [ofKind(kinds, 'vertex-express', { keys })]
  const { regions = {} } = place
  const credentials = place.credentials === undefined ? keys : [place.credentials]
  return credentials.flatMap((json, index) => {
    const parsed = jsonOf(json)
    const inside = isObject(parsed) ? parsed.project_id : undefined
    const project = place.project ?? (typeof inside === 'string' ? inside : '')
    if (!isObject(parsed) || !PROJECT.test(project)) return []
    // Each region is a URL of its own.
    return [...new Set(['default', ...Object.keys(regions)])].flatMap((model) => {
      const location = regions[model] ?? 'global'
      if (!REGION.test(location)) return []
      const host = location === 'global' ? 'aiplatform' : `${location}-aiplatform`
      const base_url = `https://${host}.googleapis.com/v1/projects/${project}/locations/${location}`
      const value = { base_url, auth: { type: 'google', credentials: json } }
      const fits = (name: string) => (model === 'default' ? regions[name] === undefined : name === model)
      const end = `${index === 0 ? '' : `-${index + 1}`}${model === 'default' ? '' : `-${model}`}`
      return [
        narrowed(ofKind(kinds, 'vertex', value, end), (name) => fits(name) && !isClaude(name)),
        narrowed(ofKind(kinds, 'vertex-claude', value, `${end}-claude`), (name) => fits(name) && isClaude(name)),
      ]
    })
  })
}
const PROJECT = /^[a-z0-9][a-z0-9.:-]{0,99}$/

const narrowed = (place: Place, fits: (name: string) => boolean): Place => ({
  ...place,
  serves: (type, name) => place.serves(type, name) && fits(name),
})
