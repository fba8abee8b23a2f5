// The body of POST /api/v3/contents/generations/tasks. Only known fields are parsed. SDKs send null for every option that is
// not set: null is absent.

import {
  asObject,
  type Json,
  RequestError,
  readArray,
  readFlag,
  readInteger,
  readName,
  readString,
  withoutUndefined,
  wrong,
} from '../../../canonical/reading.ts'
import type { SettingConflict, VideoRequest, VideoSettings, VideoText } from '../../../canonical/video.ts'
import type { Codec } from '../../../framing/codec.ts'
import { attributionIn } from '../../shared/pass-through/attribution.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { scanBody } from '../../shared/pass-through/request.ts'
import { readSetting, SETTING_NAMES, SETTINGS } from '../../shared/videos/settings.ts'
import { readContent } from './content.ts'

const FIELD_NAMES: ReadonlySet<string> = new Set([
  'model',
  'content',
  'callback_url',
  'return_last_frame',
  'generate_audio',
  'draft',
  'service_tier',
  'execution_expires_after',
  'safety_identifier',
  'tools',
  ...Object.values(SETTING_NAMES),
])
const MEMBERS = namesOf({ type: 1, text: 1, role: 1, image_url: 1, video_url: 1, audio_url: 1, draft_task: 1 })
const URLS = namesOf({ url: 1, id: 1 })
const NAMES = knownNames(namesOf(Object.fromEntries([...FIELD_NAMES].map((name) => [name, 1]))), {
  content: {
    own: MEMBERS,
    within: new Map(['image_url', 'video_url', 'audio_url', 'draft_task'].map((name) => [name, URLS])),
  },
})

/** Bounds of the vendor: an hour, and three days. */
const [LEAST_EXPIRY, MOST_EXPIRY] = [3_600, 259_200]
const MOST_TOOLS = 16

/** Throws RequestError. */
export function decodeVideoRequest(bytes: Uint8Array, codec: Codec): VideoRequest {
  const { fields, close } = scanBody(bytes, codec, NAMES)
  const attribution = attributionIn(bytes, fields, codec)
  const values: Record<string, unknown> = {}
  const unknown: { name: string; text: string }[] = []
  for (const { name, start, end } of fields) {
    const text = codec.decode(bytes, start, end)
    if (FIELD_NAMES.has(name)) values[name] = parsedField(name, start, text)
    else unknown.push({ name, text })
  }
  const model = readName(values, 'model')
  if (model === undefined || model === '') throw wrong('model', 'model is required')
  const content = readContent(values.content)
  return withoutUndefined<VideoRequest>({
    model,
    ...content,
    ...readSettings(values, content.texts),
    callbackUrl: readCallbackUrl(values),
    returnLastFrame: readFlag(values, 'return_last_frame'),
    generateAudio: readFlag(values, 'generate_audio'),
    draft: readFlag(values, 'draft'),
    serviceTier: readName(values, 'service_tier', '', 64),
    expiresAfter: readInteger(values, 'execution_expires_after', LEAST_EXPIRY, MOST_EXPIRY),
    safetyIdentifier: readName(values, 'safety_identifier', '', 256),
    tools: readTools(values),
    unknown,
    json: { bytes, fields, close },
    attribution,
  })
}

function parsedField(name: string, start: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestError('bad_request', name, `The body has a mistake in ${name} (byte ${start})`)
  }
}

function readCallbackUrl(values: Json): string | undefined {
  const url = readName(values, 'callback_url', '', 2_048)
  if (url === undefined || url === '') return undefined
  if (!/^https?:\/\/[^\s/?#]+/i.test(url)) throw wrong('callback_url', 'callback_url must be an http or https URL')
  return url
}

function readTools(values: Json): string[] {
  const tools = readArray(values, 'tools') ?? []
  if (tools.length > MOST_TOOLS) throw wrong('tools', `tools must not have more than ${MOST_TOOLS} items`)
  return tools.map((tool, index) => {
    const at = `tools[${index}]`
    const type = readString(asObject(tool, at), 'type', at)
    if (type === undefined) throw wrong(`${at}.type`, `${at}.type is required`)
    return type
  })
}

type Said = { value: string | number | boolean; at: string }

/** The body's field decides, then the last flag: the order in which this is written down here. */
function readSettings(
  values: Json,
  texts: readonly VideoText[],
): { settings: VideoSettings; conflicts: readonly SettingConflict[] } {
  const settings: Record<string, string | number | boolean> = {}
  const conflicts: SettingConflict[] = []
  for (const setting of SETTINGS) {
    const said: Said[] = []
    const name = SETTING_NAMES[setting]
    const value = values[name]
    if (value !== undefined && value !== null) {
      const read = readSetting(setting, value)
      if (!read.ok) throw wrong(name, `${name} must be ${read.expected}`)
      said.push({ value: read.value, at: name })
    }
    const flags = texts.flatMap(({ item, flags: found }) => found.map((flag) => ({ ...flag, item })))
    for (const flag of flags.reverse())
      if (flag.setting === setting) said.push({ value: flag.value, at: `content[${flag.item}].text` })
    const [first] = said
    if (first === undefined) continue
    settings[setting] = first.value
    const different = said.filter(({ value: one }, index) => said.findIndex((other) => other.value === one) === index)
    if (different.length > 1)
      conflicts.push({ setting, values: different.map((one) => one.value), at: different.map(({ at }) => at) })
  }
  return { settings: settings as VideoSettings, conflicts }
}
