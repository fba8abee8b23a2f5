// The fault switches of video tasks, selected as those of texts are: `sandbox-video:fails`, or the header x-sandbox-fault.

import { badRequest } from '../request/errors.ts'

type NumberRule = { low: number; high: number; default: number | undefined }

const NUMBERS = {
  /** The submit is answered with this error. */
  status: { low: 400, high: 599, default: undefined },
  /** So many queries of the task are answered with 404 before it is found. */
  'not-found': { low: 1, high: 1_000, default: 2 },
  /** Milliseconds between the pieces of a download. */
  'slow-download': { low: 1, high: 60_000, default: 200 },
} as const satisfies Record<string, NumberRule>

const FLAGS = [
  /** The task stays queued. */
  'never-starts',
  /** The task stays running. */
  'never-ends',
  'fails',
  /** The task fails because of its content. */
  'moderation',
  /** The submit is accepted, and the connection is cut before the answer. */
  'cut-submit',
  /** The submit is accepted, and never answered. */
  'hang-submit',
  /** The caller's own id is not repeated in records. */
  'no-echo',
] as const

export type VideoFlag = (typeof FLAGS)[number]
export type VideoNumber = keyof typeof NUMBERS
export type VideoFaults = { flags: ReadonlySet<VideoFlag>; numbers: { readonly [name in VideoNumber]?: number } }

const VIDEO_FAULT_NAMES: readonly string[] = [...Object.keys(NUMBERS), ...FLAGS].sort()

const isNumber = (name: string): name is VideoNumber => Object.hasOwn(NUMBERS, name)

export function readVideoFaults(written: readonly string[], allowed: boolean): VideoFaults {
  const entries = written.flatMap((list) => list.split(',')).flatMap((entry) => entry.trim() || [])
  if (entries.length > 0 && !allowed) throw badRequest('Fault switches are disabled on this sandbox.', 'model')
  const flags = new Set<VideoFlag>()
  const numbers: { [name in VideoNumber]?: number } = {}
  for (const entry of entries) {
    const [name = '', value] = entry.split('=', 2)
    const flag = FLAGS.find((known) => known === name)
    if (isNumber(name)) numbers[name] = numberOf(name, value)
    else if (flag !== undefined && value === undefined) flags.add(flag)
    else throw badRequest(`Unknown fault '${entry}'. Known faults: ${VIDEO_FAULT_NAMES.join(', ')}.`, 'model')
  }
  return { flags, numbers }
}

/** In the form that is read above. */
export const writeVideoFaults = ({ flags, numbers }: VideoFaults): string =>
  [...flags, ...Object.entries(numbers).map(([name, value]) => `${name}=${value}`)].join(',')

function numberOf(name: VideoNumber, value: string | undefined): number {
  const { low, high, default: byDefault }: NumberRule = NUMBERS[name]
  const number = value === undefined ? byDefault : /^\d{1,6}$/.test(value) ? Number(value) : undefined
  if (number !== undefined && number >= low && number <= high) return number
  throw badRequest(`The fault '${name}' takes a whole number from ${low} to ${high}.`, 'model')
}
