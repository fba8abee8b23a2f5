// Which video a hold must cover, where a request can be read in several ways or leaves things open, and which video is charged
// once it is made. Pure.
import { chosenWord, isCount, isWord } from '../../../modalities/media-quantities.ts'
import {
  isPricedTier,
  LONGEST_VIDEO_SECONDS,
  MOST_VIDEO_TOKENS,
  type Video,
  type VideoPrice,
  videoBound,
} from './price.ts'

/** Everything that a request says about what decides its price. Empty: it says nothing. */
export type PricedReadings = {
  resolutions: readonly string[]
  seconds: readonly number[]
  modelChoosesLength: boolean
  /** The highest that was asked for. Absent: 24. */
  framesPerSecond?: number
  /** The most that videos in the request can last: some vendors bill their tokens as well. */
  inputVideoSeconds?: number
  options?: PricedOptions
}

/** What multiplies the price, or adds to it. */
export type PricedOptions = Pick<Video, 'tier' | 'isDraft' | 'isSilent' | 'toolCalls'>

export type PricedLimits = {
  seconds?: readonly [least: number, most: number]
  defaultSeconds?: number
  resolutions?: readonly string[]
  defaultResolution?: string
}

/** No request can ask for a longer video. */
export const LONGEST_REQUEST_SECONDS = 120

const DEFAULT_FPS = 24
const MILLION = 1_000_000n
const PIXELS_PER_TOKEN = 1_024

/** Pixels of one frame, of the ratio that has the most of them. They differ from ratio to ratio, since sides are rounded. */
const LARGEST_AREAS: Readonly<Record<string, number>> = {
  '480p': 992 * 432,
  '720p': 1_504 * 640,
  '1080p': 1_920 * 1_088,
}
const LARGEST_RESOLUTION = '4k'

/** The video with the highest price of all that the request can mean. */
export function mostExpensive(readings: PricedReadings, limits: PricedLimits, price: VideoPrice): Video {
  const { tier, ...options } = readings.options ?? {}
  const videos = resolutionsOf(readings, limits).flatMap((resolution) =>
    secondsOf(readings, limits).flatMap((seconds): Video[] => {
      // The vendor's formula is an approximation.
      const tokens = Math.ceil((videoTokens(resolution, seconds, readings) * 105) / 100)
      const video = { resolution, seconds, tokens, ...options }
      // A request for another tier may be served at the usual one.
      return tier === undefined ? [video] : [video, { ...video, tier }]
    }),
  )
  const [first = UNKNOWN] = videos
  return videos.reduce((highest, video) => (costOf(video, price) > costOf(highest, price) ? video : highest), first)
}

const UNKNOWN: Video = { resolution: undefined, seconds: undefined, tokens: undefined }

/** What has no price is never chosen over what has one. */
const costOf = (video: Video, price: VideoPrice): bigint => videoBound(video, price, MILLION) ?? -1n

/** The video as it is asked of the upstream: of contradicting readings, the one that decides is the first. */
export function requestedVideo(readings: PricedReadings, limits: PricedLimits): Video {
  const [resolution] = resolutionsOf(readings, limits)
  const [seconds = LONGEST_REQUEST_SECONDS] = secondsOf(readings, limits)
  const { toolCalls: _, ...options } = readings.options ?? {}
  return { resolution, seconds, tokens: Math.ceil(videoTokens(resolution, seconds, readings)), ...options }
}

/** undefined: any of those that have a price. */
function resolutionsOf({ resolutions }: PricedReadings, limits: PricedLimits): readonly (string | undefined)[] {
  if (resolutions.length > 0) return resolutions
  if (limits.defaultResolution !== undefined) return [limits.defaultResolution]
  return limits.resolutions ?? [undefined]
}

function secondsOf({ seconds, modelChoosesLength }: PricedReadings, limits: PricedLimits): readonly number[] {
  const [, most = LONGEST_REQUEST_SECONDS] = limits.seconds ?? []
  if (modelChoosesLength) return [...seconds, most]
  return seconds.length > 0 ? seconds : [limits.defaultSeconds ?? most]
}

function videoTokens(
  resolution: string | undefined,
  seconds: number,
  { framesPerSecond = DEFAULT_FPS, inputVideoSeconds = 0 }: PricedReadings,
): number {
  const area = largestArea(resolution ?? LARGEST_RESOLUTION)
  // A video has one frame more than its seconds: the last one shows the end.
  return (area * (framesPerSecond * (seconds + inputVideoSeconds) + 1)) / PIXELS_PER_TOKEN
}

/** `720p` and `4k` tell the height of the ratio 16:9. */
function largestArea(resolution: string): number {
  const known = LARGEST_AREAS[resolution]
  if (known !== undefined) return known
  const [, number = '', unit] = /^(\d{1,4})([pk])$/.exec(resolution) ?? []
  if (unit === undefined) return largestArea(LARGEST_RESOLUTION)
  const height = unit === 'p' ? Number(number) : heightOfK(Number(number))
  return Math.ceil((height * height * 16) / 9)
}

/** 4k is 3840x2160. What is called 2k differs from vendor to vendor; 2560x1440 is the largest. */
const heightOfK = (thousands: number): number => (thousands <= 2 ? thousands * 720 : thousands * 540)

/** What an upstream reports about a finished video. */
export type ReportedVideo = {
  settings: { resolution?: string; duration?: number; frames?: number; framesPerSecond?: number }
  usage?: { completionTokens?: number; totalTokens?: number; toolCalls?: Readonly<Record<string, number>> }
  serviceTier?: string
  draft?: boolean
  generateAudio?: boolean
}

/** The video to charge: as it was reported, and as it was requested where the report says nothing, or nothing sensible. */
export function billableVideo(reported: ReportedVideo, requested: Video, price: VideoPrice): Video {
  const { settings, usage, serviceTier, draft, generateAudio } = reported
  const tier = serviceTier !== undefined && isPricedTier(serviceTier, price) ? serviceTier : requested.tier
  const { duration, frames, framesPerSecond } = settings
  const rate = isPositive(framesPerSecond) ? framesPerSecond : DEFAULT_FPS
  const counted = isPositive(frames) ? frames / rate : undefined
  const resolution = chosenWord(settings.resolution)
  return {
    resolution: resolution !== undefined && isWord(resolution) ? resolution : requested.resolution,
    seconds: [duration, counted].find(isLength) ?? requested.seconds,
    tokens: [usage?.completionTokens, usage?.totalTokens].find(isTokenCount) ?? requested.tokens,
    ...(tier === undefined ? {} : { tier }),
    ...((draft ?? requested.isDraft) ? { isDraft: true } : {}),
    ...((generateAudio === undefined ? requested.isSilent : !generateAudio) ? { isSilent: true } : {}),
    ...(usage?.toolCalls ? { toolCalls: usage.toolCalls } : {}),
  }
}

const isPositive = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value > 0
const isLength = (value: number | undefined): boolean => isPositive(value) && value <= LONGEST_VIDEO_SECONDS
const isTokenCount = (value: number | undefined): boolean => value !== undefined && isCount(value, MOST_VIDEO_TOKENS)
