// The body of a submit, and the flags in its prompt.

import { splitModel } from '../delivery/faults.ts'
import { badRequest, SandboxError } from '../request/errors.ts'
import { isObject, type Json } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { readVideoFaults, type VideoFaults } from './faults.ts'

export const SANDBOX_VIDEO = 'sandbox-video'
const [LEAST_SECONDS, MOST_SECONDS, DEFAULT_SECONDS] = [1, 12, 5]
const RESOLUTIONS = ['480p', '720p', '1080p']

export type VideoOrder = {
  /** With its fault switches. */
  model: string
  faults: VideoFaults
  prompt: string
  resolution: string
  ratio: string
  seconds: number
  seed: number
  lastFrame: boolean
  /** The caller's own id, which records repeat. */
  safetyIdentifier: string | undefined
}

export function readSubmit(bytes: Uint8Array, faultHeader: string, faultsAllowed: boolean): VideoOrder {
  const body = parseBody(bytes)
  const { model, content } = body
  if (typeof model !== 'string' || model === '') throw missing('model')
  const { name, faults: suffix } = splitModel(model)
  if (name !== SANDBOX_VIDEO) {
    const message = `The model '${model}' does not exist.`
    throw new SandboxError({ status: 404, message, param: 'model', code: 'InvalidEndpointOrModel.NotFound' })
  }
  const faults = readVideoFaults([suffix, faultHeader], faultsAllowed)
  if (!Array.isArray(content) || content.length === 0) throw missing('content')
  const text = content.filter(isObject).flatMap(({ text: one }) => (typeof one === 'string' ? [one] : []))
  const flags = flagsOf(text.join('\n'))
  const wordOf = (field: string, flag: string | undefined) =>
    typeof body[field] === 'string' ? (body[field] as string).toLowerCase() : flag?.toLowerCase()
  const resolution = wordOf('resolution', flags.resolution) ?? '480p'
  if (!RESOLUTIONS.includes(resolution)) throw invalid('resolution', `one of ${RESOLUTIONS.join(', ')}`)
  return {
    ...{ model, faults, resolution, prompt: flags.prompt || '(no text)' },
    ratio: wordOf('ratio', flags.ratio) ?? '16:9',
    seconds: wholeOf(body, 'duration', flags.duration, LEAST_SECONDS, MOST_SECONDS, DEFAULT_SECONDS),
    seed: wholeOf(body, 'seed', flags.seed, -1, 4_294_967_295, 0),
    lastFrame: body.return_last_frame === true,
    safetyIdentifier: typeof body.safety_identifier === 'string' ? body.safety_identifier : undefined,
  }
}

function wholeOf(
  body: Json,
  name: string,
  flag: string | undefined,
  low: number,
  high: number,
  byDefault: number,
): number {
  const value = body[name] ?? (flag === undefined ? byDefault : Number(flag))
  if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value
  throw invalid(name, `an integer from ${low} to ${high}`)
}

const FLAG = /\s*--(rs|resolution|rt|ratio|dur|duration|seed)\s+(\S+)/g
const LONG_NAMES: Readonly<Record<string, 'resolution' | 'ratio' | 'duration'>> = {
  rs: 'resolution',
  rt: 'ratio',
  dur: 'duration',
}

/** The last flag of a name holds. */
function flagsOf(text: string) {
  const found: { resolution?: string; ratio?: string; duration?: string; seed?: string } = {}
  for (const [, name = '', value = ''] of text.matchAll(FLAG)) found[LONG_NAMES[name] ?? (name as 'seed')] = value
  return { ...found, prompt: text.replaceAll(FLAG, '').trim() }
}

const missing = (param: string): SandboxError =>
  badRequest(`The request failed because it is missing \`${param}\` parameter.`, param, 'MissingParameter')

const invalid = (param: string, expected: string): SandboxError =>
  badRequest(`The parameter \`${param}\` is not valid: expected ${expected}.`, param, 'InvalidParameter')
