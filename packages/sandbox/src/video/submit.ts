// The body of a submit, and the flags in its prompt.

import { splitModel } from '../delivery/faults.ts'
import { badRequest, SandboxError } from '../request/errors.ts'
import { isObject, type Json } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { readVideoFaults, type VideoFaults } from './faults.ts'

export const SANDBOX_VIDEO = 'sandbox-video'
export const [LEAST_SECONDS, MOST_SECONDS, DEFAULT_SECONDS] = [1, 12, 5]
export const RESOLUTIONS = ['480p', '720p', '1080p']
const RATIOS = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive']
/** Frames per second, as records report them; the real ones are fewer, since raw samples are large. */
export const PROMISED_RATE = 24
const [LEAST_FRAMES, MOST_FRAMES] = [29, 289]
/** What an id contains of a prompt. */
const PROMPT_BYTES = 400
const MOST_NAME = 128

export type VideoOrder = {
  /** With its fault switches. */
  model: string
  faults: VideoFaults
  prompt: string
  resolution: string
  ratio: string
  seconds: number
  /** Where the request chose a number of frames, and not of seconds. */
  frames: number | undefined
  seed: number
  lastFrame: boolean
  /** The caller's own id, which records repeat. */
  safetyIdentifier: string | undefined
}

export type Switches = { faultHeader: string; faultsAllowed: boolean }

export function readSubmit(bytes: Uint8Array, switches: Switches): VideoOrder {
  const body = parseBody(bytes)
  const { model, content } = body
  if (typeof model !== 'string' || model === '') throw missing('model')
  const faults = readModel(model, switches)
  if (!Array.isArray(content) || content.length === 0) throw missing('content')
  const text = content.filter(isObject).flatMap(({ text: one }) => (typeof one === 'string' ? [one] : []))
  const flags = flagsOf(text.join('\n'))
  const wordOf = (field: 'resolution' | 'ratio', known: readonly string[], byDefault: string): string => {
    const word = (typeof body[field] === 'string' ? (body[field] as string) : flags[field])?.toLowerCase() ?? byDefault
    if (!known.includes(word)) throw invalid(field, `one of ${known.join(', ')}`)
    return word
  }
  const frames = framesOf(body, flags.frames)
  const chosen = wholeOf(body, 'duration', flags.duration, LEAST_SECONDS, MOST_SECONDS, DEFAULT_SECONDS)
  return {
    model,
    faults,
    prompt: promptOf(flags.prompt),
    frames,
    resolution: wordOf('resolution', RESOLUTIONS, '480p'),
    ratio: wordOf('ratio', RATIOS, '16:9'),
    seconds: frames === undefined ? chosen : frames / PROMISED_RATE,
    seed: wholeOf(body, 'seed', flags.seed, -1, 4_294_967_295, 0),
    lastFrame: body.return_last_frame === true,
    safetyIdentifier: identifierOf(body.safety_identifier),
  }
}

/** Throws for another model than this one. */
export function readModel(model: string, { faultHeader, faultsAllowed }: Switches): VideoFaults {
  const { name, faults: suffix } = splitModel(model)
  if (name !== SANDBOX_VIDEO || model.length > MOST_NAME) {
    const message = `The model '${model}' does not exist.`
    throw new SandboxError({ status: 404, message, param: 'model', code: 'InvalidEndpointOrModel.NotFound' })
  }
  return readVideoFaults([suffix, faultHeader], faultsAllowed)
}

/** The beginning, in whole characters. */
export function promptOf(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(PROMPT_BYTES))
  return text.slice(0, read) || '(no text)'
}

function framesOf(body: Json, flag: string | undefined): number | undefined {
  if ((body.frames ?? flag ?? undefined) === undefined) return undefined
  const frames = wholeOf(body, 'frames', flag, LEAST_FRAMES, MOST_FRAMES, 0)
  if ((frames - LEAST_FRAMES) % 4 !== 0) throw invalid('frames', 'an integer of the form 25 + 4n')
  return frames
}

function identifierOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (value.length > MOST_NAME) throw invalid('safety_identifier', `at most ${MOST_NAME} characters`)
  return value
}

export function wholeOf(
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

const FLAG = /\s*--(rs|resolution|rt|ratio|dur|duration|frames|seed)\s+(\S+)/g
const LONG_NAMES: Readonly<Record<string, 'resolution' | 'ratio' | 'duration'>> = {
  rs: 'resolution',
  rt: 'ratio',
  dur: 'duration',
}

/** The last flag of a name holds. */
function flagsOf(text: string) {
  const found: { resolution?: string; ratio?: string; duration?: string; frames?: string; seed?: string } = {}
  for (const [, name = '', value = ''] of text.matchAll(FLAG)) found[LONG_NAMES[name] ?? (name as 'seed')] = value
  return { ...found, prompt: text.replaceAll(FLAG, '').trim() }
}

export const missing = (param: string): SandboxError =>
  badRequest(`The request failed because it is missing \`${param}\` parameter.`, param, 'MissingParameter')

export const invalid = (param: string, expected: string): SandboxError =>
  badRequest(`The parameter \`${param}\` is not valid: expected ${expected}.`, param, 'InvalidParameter')
