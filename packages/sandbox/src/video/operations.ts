// The video model in the generate-content dialect: a long-running operation for each task.

import { badRequest } from '../request/errors.ts'
import { isObject, type Json, listOf } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import {
  LEAST_SECONDS,
  MOST_SECONDS,
  promptOf,
  RESOLUTIONS,
  readModel,
  SANDBOX_VIDEO,
  type Switches,
  type VideoOrder,
} from './submit.ts'
import { statusOf, type Task } from './tasks.ts'

const RATIOS = ['16:9', '9:16']
const DEFAULT_SECONDS = 8
const INPUTS = ['prompt', 'image', 'lastFrame', 'referenceImages', 'video']
const PARAMETERS = [
  'aspectRatio',
  'resolution',
  'durationSeconds',
  'sampleCount',
  'seed',
  'negativePrompt',
  'personGeneration',
  'enhancePrompt',
  'generateAudio',
]

/** `model` of the path. */
export function readPrediction(bytes: Uint8Array, model: string, switches: Switches): VideoOrder {
  const faults = readModel(model, switches)
  const body = parseBody(bytes)
  const [instance, ...others] = listOf(body.instances)
  if (!isObject(instance) || others.length > 0) throw badRequest('instances: expected one object.', 'instances')
  const parameters = isObject(body.parameters) ? body.parameters : {}
  rejectUnknown(body, ['instances', 'parameters'], '')
  rejectUnknown(instance, INPUTS, 'instances[0].')
  rejectUnknown(parameters, PARAMETERS, 'parameters.')
  for (const name of ['image', 'lastFrame']) checkImage(instance[name], `instances[0].${name}`)
  for (const [index, reference] of listOf(instance.referenceImages).entries()) {
    const { image = null } = isObject(reference) ? reference : {}
    checkImage(image, `instances[0].referenceImages[${index}].image`)
  }
  const { prompt } = instance
  if (typeof prompt !== 'string' && instance.image === undefined)
    throw badRequest('instances[0].prompt: expected text.', 'instances[0].prompt')
  if ((parameters.sampleCount ?? 1) !== 1) throw badRequest('sampleCount: expected 1.', 'parameters.sampleCount')
  return {
    model,
    faults,
    prompt: promptOf(typeof prompt === 'string' ? prompt.trim() : ''),
    frames: undefined,
    resolution: wordOf(parameters, 'resolution', RESOLUTIONS, '720p'),
    ratio: wordOf(parameters, 'aspectRatio', RATIOS, '16:9'),
    seconds: wholeOf(parameters, 'durationSeconds', LEAST_SECONDS, MOST_SECONDS, DEFAULT_SECONDS),
    seed: wholeOf(parameters, 'seed', 0, 4_294_967_295, 0),
    lastFrame: false,
    safetyIdentifier: undefined,
  }
}

function rejectUnknown(object: Json, known: readonly string[], prefix: string): void {
  for (const name of Object.keys(object))
    if (!known.includes(name)) throw badRequest(`Unknown name "${name}".`, `${prefix}${name}`)
}

function checkImage(image: unknown, param: string): void {
  if (image === undefined) return
  const { inlineData, bytesBase64Encoded } = isObject(image) ? image : {}
  const data = isObject(inlineData) ? inlineData.data : bytesBase64Encoded
  if (typeof data !== 'string' || data === '') throw badRequest(`${param}: expected base64 data.`, param)
}

function wordOf(parameters: Json, name: string, known: readonly string[], byDefault: string): string {
  const word = parameters[name] ?? byDefault
  if (typeof word === 'string' && known.includes(word)) return word
  throw badRequest(`${name}: expected one of ${known.join(', ')}.`, `parameters.${name}`)
}

function wholeOf(parameters: Json, name: string, low: number, high: number, byDefault: number): number {
  const value = parameters[name] ?? byDefault
  if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value
  throw badRequest(`${name}: expected an integer from ${low} to ${high}.`, `parameters.${name}`)
}

/** The vendor's SDKs look for lowercase letters and digits in a URL. */
const fileNameOf = ({ id }: Task): string => Buffer.from(id).toString('hex')
export const taskIdOf = (fileName: string): string => Buffer.from(fileName, 'hex').toString()

export const operationName = ({ id }: Task): string => `models/${SANDBOX_VIDEO}/operations/${id}`

const RESPONSE_TYPE = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse'
const FILTERED = '[sandbox] The video was filtered because of its content.'
const INTERNAL = { code: 13, message: '[sandbox] Injected fault: failure.' }

/** `origin`: of the URL, which needs a key. An operation that is not done says only its name. */
export function operationOf(task: Task, now: number, origin: string): object {
  const name = operationName(task)
  const { status } = statusOf(task, now)
  if (status === 'queued' || status === 'running') return { name }
  const isFiltered = task.order.faults.flags.has('moderation')
  if (status !== 'succeeded' && !isFiltered) return { name, done: true, error: INTERNAL }
  const uri = `${origin}/v1beta/files/${fileNameOf(task)}:download?alt=media`
  const generateVideoResponse = isFiltered
    ? { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [FILTERED] }
    : { generatedSamples: [{ video: { uri } }] }
  return { name, done: true, response: { '@type': RESPONSE_TYPE, generateVideoResponse } }
}
