// What decides the price of a request, in every way that it can be read, and whether its model accepts it.

import { wrong } from '../../../canonical/reading.ts'
import type { VideoLimits, VideoRequest, VideoSetting } from '../../../canonical/video.ts'
import { SETTING_NAMES } from '../../shared/videos/settings.ts'

/** All of them must be affordable: which of two contradicting values an upstream obeys is not known. Empty: not said. */
export type VideoReadings = {
  resolutions: readonly string[]
  /** Lengths of the video. Not whole where frames are counted. */
  seconds: readonly number[]
  /** The request leaves the length to the model, in at least one reading. */
  modelChoosesLength: boolean
  /** The highest, and not less than upstreams make that ignore it. */
  framesPerSecond: number
  /** The most that videos in the request can last in all: some vendors bill them as well. */
  inputVideoSeconds: number
}

/** The frame rate where the request names no other one. */
const DEFAULT_FPS = 24
/** No vendor takes more, however many videos they are. */
const LONGEST_INPUT_SECONDS = 30

export function readingsOf(request: VideoRequest): VideoReadings {
  const durations = valuesOf(request, 'duration') as number[]
  const rates = valuesOf(request, 'framesPerSecond') as number[]
  const perSecond = Math.min(DEFAULT_FPS, ...rates)
  const frames = (valuesOf(request, 'frames') as number[]).map((count) => count / perSecond)
  return {
    resolutions: valuesOf(request, 'resolution') as string[],
    seconds: [...frames, ...durations.filter((seconds) => seconds > 0)],
    modelChoosesLength: durations.includes(-1) && frames.length === 0,
    framesPerSecond: Math.max(DEFAULT_FPS, ...rates),
    inputVideoSeconds: request.inputs.some(({ kind }) => kind === 'video') ? LONGEST_INPUT_SECONDS : 0,
  }
}

/** Values of one setting, the deciding one first. */
function valuesOf(
  { settings, conflicts }: VideoRequest,
  setting: VideoSetting,
): readonly (string | number | boolean)[] {
  const value = settings[setting]
  return conflicts.find((one) => one.setting === setting)?.values ?? (value === undefined ? [] : [value])
}

/** Throws RequestError, which names the field or the text and lists what is allowed. */
export function checkVideoLimits(request: VideoRequest, limits: VideoLimits): void {
  const { model } = request
  for (const setting of ['resolution', 'ratio'] as const) {
    const allowed = setting === 'resolution' ? limits.resolutions : limits.ratios
    if (allowed === undefined) continue
    const value = valuesOf(request, setting).find((one) => !allowed.includes(String(one)))
    if (value === undefined) continue
    const message = `${setting} '${value}' is not available for model '${model}'. Allowed: ${allowed.join(', ')}.`
    throw wrong(placeOf(request, setting, value), message)
  }
  checkLength(request, limits)
  const images = request.inputs.filter(({ kind }) => kind === 'image')
  const extra = limits.images === undefined ? undefined : images[limits.images]
  if (extra !== undefined)
    throw wrong(`content[${extra.item}]`, `Model '${model}' takes at most ${limits.images} images in content.`)
}

function checkLength(request: VideoRequest, { seconds }: VideoLimits): void {
  if (seconds === undefined) return
  const [least, most] = seconds
  const allowed = `Allowed: ${least} to ${most} seconds.`
  for (const value of valuesOf(request, 'duration') as number[])
    if (value !== -1 && (value < least || value > most))
      throw wrong(
        placeOf(request, 'duration', value),
        `duration ${value} is not available for model '${request.model}'. ${allowed}`,
      )
  // One frame more than the seconds have is usual: the first one shows the beginning.
  for (const value of valuesOf(request, 'frames') as number[])
    if ((value - 1) / DEFAULT_FPS > most)
      throw wrong(
        placeOf(request, 'frames', value),
        `frames ${value} is not available for model '${request.model}'. ${allowed}`,
      )
}

/** Where a value was found: the path of a field, or of the text with the flag. */
function placeOf(request: VideoRequest, setting: VideoSetting, value: string | number | boolean): string {
  const conflict = request.conflicts.find((one) => one.setting === setting)
  const found = conflict?.at[conflict.values.indexOf(value)]
  if (found !== undefined) return found
  const text = request.texts.find(({ flags }) => flags.some((flag) => flag.setting === setting))
  const isField = request.json.fields.some(({ name, kind }) => name === SETTING_NAMES[setting] && kind !== 'null')
  return isField || text === undefined ? SETTING_NAMES[setting] : `content[${text.item}].text`
}
