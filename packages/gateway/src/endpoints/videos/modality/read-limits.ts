// What requests to a video model may ask for: lengths, resolutions, ratios and images, and what is sent upstream where they ask
// for nothing.
import type { VideoLimits } from '@trivium/protocol/canonical/video.ts'
import { MOST_SECONDS, readSetting } from '@trivium/protocol/dialects/shared/videos/settings.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import {
  type Fields,
  fieldsOf,
  itemsOf,
  listOf,
  quote,
  quoteSource,
  type Reader,
  scalarText,
} from '../../../yaml/fields.ts'
import { readInteger } from '../../../yaml/scalars.ts'

/** The defaults are sent to the upstream where a request does not choose. */
export type VideoModelLimits = VideoLimits & { defaultSeconds?: number; defaultResolution?: string }

const tokens = 'counts tokens and applies to text models only; remove it'
const image = 'applies to image models only; a video model has resolutions'
const FIELDS = {
  seconds: true,
  default_seconds: true,
  resolutions: true,
  default_resolution: true,
  ratios: true,
  images: true,
  context: tokens,
  max_output: tokens,
  sizes: image,
  qualities: image,
} as const
const EXAMPLE = 'limits: { seconds: [4, 12], default_seconds: 5, resolutions: [720p, 1080p], default_resolution: 720p }'
const SECONDS = 'the shortest and the longest length in seconds, such as [4, 12]'

const MOST_INPUT_IMAGES = 100

export function readVideoLimits(value: YamlValue): VideoModelLimits | undefined {
  const fields = fieldsOf(value, FIELDS, EXAMPLE)
  if (!fields) return undefined
  const seconds = optional(fields, 'seconds', readSeconds)
  const resolutions = optional(fields, 'resolutions', wordsOf('resolution', '[720p, 1080p]'))
  const ratios = optional(fields, 'ratios', wordsOf('ratio', '["16:9", "9:16"]'))
  const images = optional(fields, 'images', readInteger({ min: 0, max: MOST_INPUT_IMAGES }))
  const defaultSeconds = optional(fields, 'default_seconds', readDefaultSeconds(seconds))
  const defaultResolution = optional(fields, 'default_resolution', readDefaultResolution(resolutions))
  return {
    ...(seconds ? { seconds } : {}),
    ...(resolutions ? { resolutions } : {}),
    ...(ratios ? { ratios } : {}),
    ...(images === undefined ? {} : { images }),
    ...(defaultSeconds === undefined ? {} : { defaultSeconds }),
    ...(defaultResolution === undefined ? {} : { defaultResolution }),
  }
}

const optional = <T>(fields: Fields, name: string, read: Reader<T>): T | undefined =>
  fields.optional<T | undefined>(name, read, undefined)

function readSeconds(value: YamlValue): readonly [number, number] | undefined {
  const items = itemsOf(value, '[4, 12]')
  if (!items) return undefined
  const [least, most] = items.map(readInteger({ min: 1, max: MOST_SECONDS }))
  if (items.length !== 2) addMistake(value, `expected ${SECONDS}`)
  else if (least !== undefined && most !== undefined && least > most) {
    addMistake(value, `${least} is more than ${most}; write ${SECONDS}`)
  } else if (least !== undefined && most !== undefined) return [least, most]
  return undefined
}

const readDefaultSeconds =
  (range: readonly [number, number] | undefined): Reader<number> =>
  (value) => {
    const seconds = readInteger({ min: 1, max: MOST_SECONDS })(value)
    if (seconds === undefined || !range || (seconds >= range[0] && seconds <= range[1])) return seconds
    addMistake(value, `${seconds} is outside of seconds, which is ${range[0]} to ${range[1]}`)
    return undefined
  }

const readDefaultResolution =
  (resolutions: readonly string[] | undefined): Reader<string> =>
  (value) => {
    const resolution = wordOf('resolution')(value)
    if (resolution === undefined || !resolutions || resolutions.includes(resolution)) return resolution
    addMistake(value, `${quote(resolution)} is not among the resolutions ${resolutions.join(', ')}`)
    return undefined
  }

const wordsOf = (setting: 'resolution' | 'ratio', example: string) =>
  listOf(wordOf(setting), example, `remove it, or name the ${setting}s`)

const wordOf =
  (setting: 'resolution' | 'ratio'): Reader<string> =>
  (value) => {
    const text = scalarText(value, `a ${setting}`)
    if (text === undefined) return undefined
    const read = readSetting(setting, text)
    if (read.ok) return String(read.value)
    addMistake(value, `expected ${read.expected}, not ${quoteSource(value)}`)
    return undefined
  }

/** What the file writes replaces what is known of the model; a known default that then does not fit is left out. */
export function mergeVideoLimits(known: VideoModelLimits, written: VideoModelLimits): VideoModelLimits {
  const { defaultSeconds, defaultResolution, ...merged } = { ...known, ...written }
  const [least = 0, most = Number.POSITIVE_INFINITY] = merged.seconds ?? []
  const fits = defaultSeconds !== undefined && defaultSeconds >= least && defaultSeconds <= most
  const isListed = defaultResolution !== undefined && (merged.resolutions?.includes(defaultResolution) ?? true)
  return { ...merged, ...(fits ? { defaultSeconds } : {}), ...(isListed ? { defaultResolution } : {}) }
}
