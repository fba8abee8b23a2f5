// The settings of a video: what each may be, the same for fields and flags.

import type { VideoSetting } from '../../../canonical/video.ts'

type Value = string | number | boolean
type Rule = { expected: string; read(value: unknown): Value | undefined }

/** More than any model makes. */
export const MOST_SECONDS = 120
const MOST_FRAMES = 10_000
const MOST_SEED = 4_294_967_295

const whole = (least: number, most: number, what: string): Rule => ({
  expected: `a whole number ${what}between ${least} and ${most}`,
  read: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined,
})

const matching = (pattern: RegExp, expected: string): Rule => ({
  expected,
  read: (value) => (typeof value === 'string' && pattern.test(value) ? value.toLowerCase() : undefined),
})

const FLAG: Rule = { expected: 'true or false', read: (value) => (typeof value === 'boolean' ? value : undefined) }

const seconds = whole(1, MOST_SECONDS, 'of seconds ')

const SETTING_RULES: Readonly<Record<VideoSetting, Rule>> = {
  resolution: matching(/^(?:[1-9]\d{2,3}p|[1-8]k)$/i, 'a resolution such as 480p, 720p or 1080p'),
  ratio: matching(/^(?:[1-9]\d?:[1-9]\d?|adaptive|keep_ratio)$/i, "a ratio such as 16:9, or 'adaptive'"),
  duration: {
    expected: `${seconds.expected}, or -1 for a length that the model chooses`,
    read: (value) => (value === -1 ? value : seconds.read(value)),
  },
  frames: whole(1, MOST_FRAMES, ''),
  framesPerSecond: whole(1, 120, ''),
  seed: whole(-1, MOST_SEED, ''),
  cameraFixed: FLAG,
  watermark: FLAG,
}

/** Names of the settings in bodies of the video-tasks dialect. */
export const SETTING_NAMES = {
  resolution: 'resolution',
  ratio: 'ratio',
  duration: 'duration',
  frames: 'frames',
  framesPerSecond: 'framespersecond',
  seed: 'seed',
  cameraFixed: 'camera_fixed',
  watermark: 'watermark',
} as const satisfies Record<VideoSetting, string>

export const SETTINGS = Object.keys(SETTING_NAMES) as readonly VideoSetting[]

export function readSetting(
  setting: VideoSetting,
  value: unknown,
): { ok: true; value: Value } | { ok: false; expected: string } {
  const { read, expected } = SETTING_RULES[setting]
  const right = read(value)
  return right === undefined ? { ok: false, expected } : { ok: true, value: right }
}
