// The upstreams of a channel: one, or one for each protocol and each credential of a cloud.
import { kindSettings } from '../../../config/sections/upstream-kind.ts'
import type { Upstream } from '../../../config/types.ts'
import { upstreamDefaults } from '../../../config/upstream-defaults.ts'
import { dialectsFor } from '../../../config/upstream-dialects.ts'
import {
  standardEndpoint,
  standardImages,
  standardServices,
  type UpstreamKind,
} from '../../../config/upstream-kinds.ts'
import type { ModelType } from '../../../modalities/index.ts'
import { objectOf } from '../../sources/fields.ts'
import type { ChannelTarget } from '../known.ts'
import { bedrockModel } from './bedrock-models.ts'
import type { Channel } from './channel.ts'

export type Place = {
  /** Added to the id of the channel. */
  suffix: string
  value: Readonly<Record<string, unknown>>
  serves(type: ModelType, upstreamName: string): boolean
  /** Its name in a request, if that is another one. */
  rename?(upstreamName: string): string
}
export type Kinds = ReadonlyMap<string, UpstreamKind>
type Service = Extract<ChannelTarget, { base: string }>

export const NO_KEY = 'It has no key that can be sent.'
export const NO_PLACE = 'Its URL or its key has a form that is not possible here. Add the upstream by hand.'

/** Text: why there is none. */
export function placesOf(channel: Channel, target: ChannelTarget | undefined, kinds: Kinds): readonly Place[] | string {
  if (target === undefined) return 'The type of this channel is not known.'
  if (typeof target === 'object' && 'without' in target) return `There is no upstream for ${target.without}.`
  const isKeyless = typeof target === 'object' && target.keyless === true
  if (channel.keys.length === 0 && !channel.place.credentials && !isKeyless) return NO_KEY
  const places = typeof target === 'object' ? ofService(channel, target, kinds) : SPECIAL[target](channel, kinds)
  return places.length > 0 ? places : NO_PLACE
}

const SPECIAL: Readonly<Record<Extract<ChannelTarget, string>, (channel: Channel, kinds: Kinds) => Place[]>> = {
  azure: ofAzure,
  aws: ofBedrock,
  vertex: ofVertex,
  /** `https://HOST/v1/chat/completions` */
  custom(channel, kinds) {
    const base = withoutEnd(channel.baseUrl ?? '', '/chat/completions')
    return base === channel.baseUrl ? [] : ofService({ ...channel, baseUrl: base }, { base: '', suffix: '' }, kinds)
  },
}

const keysOf = ({ keys }: Channel) => ({ keys: keys.length > 0 ? keys : ['none'] })
const withoutEnd = (url: string, end: string): string =>
  url.endsWith(end) ? url.slice(0, url.length - end.length) : url
const serving = (upstream: Partial<Upstream>) => (type: ModelType) =>
  dialectsFor({ ...upstreamDefaults(''), ...upstream }, type).length > 0

function ofKind(kinds: Kinds, kind: string, value: object, suffix = ''): Place {
  const described = kinds.get(kind)
  return { suffix, value: { kind, ...value }, serves: serving(described ? kindSettings(described, '') : {}) }
}

const CHAT = serving({ dialect: 'chat', endpoints: [standardEndpoint('chat')], services: standardServices() })
const IMAGES = serving({ dialect: 'images', images: standardImages() })

function ofService(channel: Channel, { kind, base, suffix, region }: Service, kinds: Kinds): Place[] {
  const end = suffix.replace('{other}', encodeURIComponent(channel.place.other ?? ''))
  const root = channel.baseUrl ?? base
  const isOwn = channel.baseUrl !== undefined && channel.baseUrl !== base
  const url = `${withoutEnd(kind && end === '' ? withoutEnd(root, '/v1') : root, end)}${end}`
  // Who sells the protocol of OpenAI under another name need not have all of it.
  if (kind !== undefined && !(isOwn && kind === 'openai')) {
    const place = isOwn ? { base_url: url } : region ? { region } : {}
    return [ofKind(kinds, kind, { ...place, ...keysOf(channel) })]
  }
  if (root === '' || !url.endsWith('/v1')) return []
  const value = { base_url: url, ...keysOf(channel) }
  return [
    { suffix: '', value: { dialect: 'chat', ...value }, serves: CHAT },
    { suffix: '-images', value: { dialect: 'images', ...value }, serves: IMAGES },
  ]
}

function ofAzure(channel: Channel, kinds: Kinds): Place[] {
  const { baseUrl, isDotless, place } = channel
  if (baseUrl === undefined) return []
  const version = place.apiVersion ? { api_version: place.apiVersion } : {}
  const found = ofKind(kinds, 'azure-classic', { base_url: `${baseUrl}/openai`, ...version, ...keysOf(channel) })
  return [isDotless ? { ...found, rename: (name) => name.replaceAll('.', '') } : found]
}

const REGION = /^[a-z0-9-]{1,60}$/
const PROJECT = /^[a-z0-9][a-z0-9.:-]{0,99}$/
const isClaude = (name: string): boolean => /claude/i.test(name)
const endOf = (index: number): string => (index === 0 ? '' : `-${index + 1}`)

/** `ACCESS|SECRET|REGION`, or `KEY|REGION`: one for each. */
function ofBedrock({ keys, place }: Channel, kinds: Kinds): Place[] {
  return keys.flatMap((key, index) => {
    const parts = key.split('|').map((part) => part.trim())
    const [access_key, secret_key] = parts
    const region = parts.at(-1) ?? ''
    if (parts.length !== (place.hasApiKey ? 2 : 3) || parts.includes('') || !REGION.test(region)) return []
    const auth = { type: 'aws', region, access_key, secret_key }
    const found = ofKind(
      kinds,
      'bedrock-invoke',
      place.hasApiKey ? { region, keys: [access_key] } : { region, auth },
      endOf(index),
    )
    const serves: Place['serves'] = (type, name) => found.serves(type, name) && isClaude(name)
    return [{ ...found, serves, rename: (name: string) => bedrockModel(name, region) }]
  })
}

/** One for each credential, and for Claude another one: its protocol differs. */
function ofVertex({ keys, place }: Channel, kinds: Kinds): Place[] {
  if (place.hasApiKey) return [ofKind(kinds, 'vertex-express', { keys })]
  return (place.credentials ? [place.credentials] : keys).flatMap((credentials, index) => {
    const { project_id = '' } = objectOf(credentials) ?? {}
    const [project, location] = [place.project ?? String(project_id), place.region ?? 'global']
    if (!PROJECT.test(project) || !REGION.test(location)) return []
    const host = location === 'global' ? 'aiplatform' : `${location}-aiplatform`
    const base_url = `https://${host}.googleapis.com/v1/projects/${project}/locations/${location}`
    const value = { base_url, auth: { type: 'google', credentials } }
    const [gemini, claude] = [
      ofKind(kinds, 'vertex', value, endOf(index)),
      ofKind(kinds, 'vertex-claude', value, `${endOf(index)}-claude`),
    ]
    return [
      { ...gemini, serves: (type, name) => gemini.serves(type, name) && !isClaude(name) },
      { ...claude, serves: (type, name) => claude.serves(type, name) && isClaude(name) },
    ]
  })
}
