// What a channel of new-api has of its own.

import {
  type Channel,
  type ChannelEdits,
  type ChannelNote,
  type ChannelPlace,
  commonChannel,
  linesIn,
} from '../quota/channels/channel.ts'
import { integerOf, isObject, type JsonObject, jsonOf, objectOf, textOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'

export const KEY_OFF = 'A key that is off in its channel is left out.'
export const REGIONS = 'The region of single models is not carried over. Add an upstream for it.'
export const SOCKS = 'Only HTTP proxies are possible. Set proxy of the upstream.'
export const SYSTEM_PROMPT = 'Here it stands before the system prompt of the request, also where there it was left out.'
export const OVERRIDE =
  'Conditions, other operations than set and delete, and variables are not possible. Set the route by hand.'
const SETTING = 'This setting of the channel does not exist here.'
const ORGANIZATION = 'It is a header of the routes of text models.'
/** Until then the programs left the dots out of names of deployments in Azure: seconds since 1970. */
const DOTS_SINCE = 1_746_835_200
/** A share of a program without the cache of channels: each has so much more. */
const SHARE = 10

export function newApiChannel(row: SourceRow): Channel {
  const { common, notes } = commonChannel(row)
  const text = (name: string) => textOf(row[name])?.trim() ?? ''
  const setting = objectOf(row.setting) ?? {}
  const settings = objectOf(row.settings) ?? {}
  const { proxy } = setting
  const hasProxy = typeof proxy === 'string' && proxy !== ''
  const isHttp = hasProxy && /^https?:/i.test(proxy)
  if (hasProxy && !isHttp) notes.push(['setting', 'manual', SOCKS])
  for (const [name, value] of Object.entries({ ...setting, ...settings })) {
    if (!USED_SETTINGS.has(name) && value !== '' && value !== false && value !== null)
      notes.push([`setting.${name}`, 'not_supported', SETTING])
  }
  const created = integerOf(row.created_time) ?? 0
  return {
    ...common,
    keys: keysIn(row, notes),
    weight: (integerOf(row.weight) ?? 0) + SHARE,
    isDotless: created > 0 && created < DOTS_SINCE,
    place: placeIn(text('other'), settings, notes),
    edits: editsIn(row, setting, notes),
    proxy: isHttp ? proxy : undefined,
    notes,
  }
}

const USED_SETTINGS: ReadonlySet<string> = new Set([
  ...['proxy', 'system_prompt', 'system_prompt_override', 'aws_key_type', 'vertex_key_type'],
])

function keysIn(row: SourceRow, notes: ChannelNote[]): string[] {
  const written = textOf(row.key)?.trim() ?? ''
  const info = objectOf(row.channel_info) ?? {}
  const list = jsonOf(written)
  // A list of credentials of Google.
  if (Array.isArray(list)) return list.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  if (info.is_multi_key !== true) return written === '' ? [] : [written]
  const states = isObject(info.multi_key_status_list) ? info.multi_key_status_list : {}
  const keys = written.split('\n')
  const on = keys.filter((_, index) => (states[index] ?? 1) === 1)
  if (on.length < keys.length) notes.push(['channel_info', 'approximate', KEY_OFF])
  return linesIn(on.join('\n'))
}

function placeIn(other: string, settings: JsonObject, notes: ChannelNote[]): ChannelPlace {
  const regions = objectOf(other)
  if (regions && Object.keys(regions).some((model) => model !== 'default')) notes.push(['other', 'manual', REGIONS])
  const region = regions ? regions.default : other
  const hasApiKey = settings.aws_key_type === 'api_key' || settings.vertex_key_type === 'api_key'
  return {
    apiVersion: other || undefined,
    other,
    region: typeof region === 'string' ? region || undefined : undefined,
    hasApiKey,
  }
}

function editsIn(row: SourceRow, setting: JsonObject, notes: ChannelNote[]): ChannelEdits {
  const organization = textOf(row.open_ai_organization)?.trim()
  if (organization) notes.push(['open_ai_organization', 'approximate', ORGANIZATION])
  const before =
    typeof setting.system_prompt === 'string' && setting.system_prompt !== '' ? setting.system_prompt : undefined
  if (before !== undefined) notes.push(['setting.system_prompt', 'approximate', SYSTEM_PROMPT])
  const headers = Object.entries(objectOf(row.header_override) ?? {})
  const plain = headers.filter(([, value]) => typeof value === 'string' && !value.includes('{'))
  if (plain.length < headers.length) notes.push(['header_override', 'manual', OVERRIDE])
  return {
    ...overrideIn(row, notes),
    headers: {
      ...(organization ? { 'OpenAI-Organization': organization } : {}),
      ...(Object.fromEntries(plain) as Record<string, string>),
    },
    ...(before === undefined ? {} : { before }),
  }
}

/** Fields of the body with their values, or a list of operations. */
function overrideIn(row: SourceRow, notes: ChannelNote[]): ChannelEdits {
  const written = textOf(row.param_override)?.trim() ?? ''
  const override = objectOf(row.param_override)
  if (!override) {
    if (written !== '') notes.push(['param_override', 'manual', OVERRIDE])
    return {}
  }
  const { operations } = override
  if (!Array.isArray(operations)) return { set: override }
  const set: Record<string, unknown> = {}
  const drop: string[] = []
  for (const operation of operations) {
    const { path, mode, value, ...more } = isObject(operation) ? operation : {}
    const isPlain = typeof path === 'string' && Object.keys(more).every((name) => name === 'description')
    if (isPlain && mode === 'set') set[path] = value
    else if (isPlain && mode === 'delete') drop.push(path)
    else notes.push(['param_override', 'manual', OVERRIDE])
  }
  return { set, drop }
}
