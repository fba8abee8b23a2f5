// An unstreamed answer of an upstream, in whichever of the many shapes its service has.

import { missingCallId, openCallIds } from '../../../canonical/encoding/call-ids.ts'
import { readDataUrl, standardBase64 } from '../../../canonical/media.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Block, CallBlock, Choice, MediaBlock } from '../../../canonical/reply.ts'
import type { DecodedReply } from '../../text-dialect.ts'
import { decodeError } from '../error.ts'
import { signatureOf } from '../request/decode-turns.ts'
import { decodeAnnotations, decodeLogprobs, decodeSources, searchFor } from './citations.ts'
import { reasoningText, saidParts } from './decode-text.ts'
import { finishWord, stopOf } from './stop.ts'
import { usageOfBody } from './usage.ts'

export function decodeReply(body: unknown): DecodedReply {
  if (isErrorBody(body)) return { ok: false, error: decodeError(200, body) }
  if (!isObject(body) || !Array.isArray(body.choices) || body.choices.length === 0) {
    const { detail } = decodeError(200, body)
    const error = { code: 'upstream_error', message: 'The upstream gave an answer without choices.' } as const
    return { ok: false, error: detail === undefined ? error : { ...error, detail } }
  }
  const failed = failedChoice(body.choices)
  if (failed !== undefined) return { ok: false, error: decodeError(200, { ...failed, usage: body.usage }) }
  const omitted: string[] = []
  const id = finishWord(body.id)
  const choices: Choice[] = []
  for (let position = 0; position < body.choices.length; position++) {
    const value: unknown = body.choices[position]
    const at = choiceIndex(value, position)
    while (choices.length <= at) choices.push({ blocks: [], stop: undefined })
    choices[at] = decodeChoice(isObject(value) ? value : {}, at, id, omitted)
  }
  addSources(choices, body)
  addSearches(choices)
  return { ok: true, reply: { id, choices, usage: usageOfBody(body), omitted: eachOnce(omitted) } }
}

const eachOnce = (words: string[]): string[] => (words.length < 2 ? words : [...new Set(words)])

/** An error, as bodies and stream events of this dialect and its imitators say it. */
export function isErrorBody(body: unknown): boolean {
  if (!isObject(body)) return false
  const { error, choices } = body
  if (isObject(error) || (typeof error === 'string' && error !== '')) return true
  if (body.object === 'error' || body.type === 'error') return true
  return !Array.isArray(choices) && (typeof body.message === 'string' || body.detail !== undefined)
}

/** A choice that says that its upstream failed within it: what it holds is no answer. */
export function failedChoice(choices: readonly unknown[]): Json | undefined {
  return choices.find((choice): choice is Json => isObject(choice) && isObject(choice.error))
}

const MOST_CHOICES = 1_024

/** By its own number, else by its place. A number out of all bounds must not make a list of that length. */
export function choiceIndex(choice: unknown, position: number): number {
  const index = isObject(choice) ? choice.index : undefined
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < MOST_CHOICES ? index : position
}

function decodeChoice(choice: Json, index: number, replyId: string | undefined, omitted: string[]): Choice {
  // Some services answer an unstreamed request with the form of a stream.
  const message = isObject(choice.message) ? choice.message : isObject(choice.delta) ? choice.delta : {}
  const blocks: Block[] = []
  say(blocks, 'reasoning', reasoningText(message))
  if (typeof message.content === 'string') say(blocks, 'text', message.content)
  else if (Array.isArray(message.content)) {
    for (const said of saidParts(message.content)) {
      if (said.kind === 'omitted') omitted.push(said.what)
      else say(blocks, said.kind, said.text)
    }
  } else if (typeof choice.text === 'string') say(blocks, 'text', choice.text)
  addToText(blocks, message, choice, omitted)
  if (typeof message.refusal === 'string') say(blocks, 'refusal', message.refusal)
  for (const what of unspoken(message)) omitted.push(what)
  for (const image of imagesOf(message, omitted)) blocks.push(image)
  const calls = decodeCalls(message, index, replyId)
  for (const call of calls) blocks.push(call)
  const seen = { calls: calls.length > 0, refusal: blocks.some((block) => block.type === 'refusal') }
  return { blocks, stop: stopOf(finishWord(choice.finish_reason), seen) }
}

const NONE: readonly never[] = []

/** What a message or a delta holds that has no place in other dialects: audio, and tools that the service ran itself. */
export function unspoken({ audio, executed_tools }: Json): readonly string[] {
  const tools = Array.isArray(executed_tools) && executed_tools.length > 0 ? ['executed_tools'] : NONE
  return isObject(audio) ? ['audio', ...tools] : tools
}

/** Adds text to the last block if it is of the same kind, as a stream would. */
function say(blocks: Block[], kind: 'text' | 'reasoning' | 'refusal', text: string): void {
  if (text === '') return
  const last = blocks.at(-1)
  if (last !== undefined && last.type === kind && 'text' in last) last.text += text
  else if (kind === 'text') blocks.push({ type: 'text', text, citations: [] })
  else if (kind === 'reasoning') blocks.push({ type: 'reasoning', text, style: 'full' })
  else blocks.push({ type: 'refusal', text })
}

function addToText(blocks: Block[], message: Json, choice: Json, omitted: string[]): void {
  const citations = decodeAnnotations(message.annotations)
  const logprobs = decodeLogprobs(choice.logprobs)
  const block = blocks.findLast((candidate) => candidate.type === 'text')
  if (block !== undefined) {
    block.citations = citations
    if (logprobs.length > 0) block.logprobs = logprobs
    return
  }
  if (citations.length > 0) omitted.push('annotations')
  if (logprobs.length > 0) omitted.push('logprobs')
}

function addSources(choices: readonly Choice[], body: Json): void {
  const block = choices[0]?.blocks.findLast((candidate) => candidate.type === 'text')
  if (block !== undefined && block.citations.length === 0) block.citations = decodeSources(body)
}

function addSearches(choices: Choice[]): void {
  for (const [index, { blocks, stop }] of choices.entries()) {
    const search = searchFor(blocks.flatMap((block) => (block.type === 'text' ? block.citations : [])))
    if (search === undefined) continue
    // The model searched before it said what it cites.
    const at = blocks.findIndex((block) => block.type === 'text')
    choices[index] = { blocks: blocks.toSpliced(at, 0, search), stop }
  }
}

/** Images that a model made, where a service gives them as data. */
export function imagesOf(message: Json, omitted: string[]): readonly MediaBlock[] {
  if (!Array.isArray(message.images)) return NONE
  return message.images.flatMap((image): MediaBlock[] => {
    const holder = isObject(image) && isObject(image.image_url) ? image.image_url : {}
    const read = typeof holder.url === 'string' ? readDataUrl(holder.url) : undefined
    const data = read === undefined ? undefined : standardBase64(read.data)
    if (data !== undefined) return [{ type: 'media', mime: read?.mime ?? 'image/png', data }]
    omitted.push('images')
    return []
  })
}

function decodeCalls(message: Json, choice: number, replyId: string | undefined): readonly CallBlock[] {
  const given: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : NONE
  const calls = given.length === 0 && isObject(message.function_call) ? [{ function: message.function_call }] : given
  if (calls.length === 0) return NONE
  const distinct = openCallIds()
  return calls.flatMap((call, position): CallBlock[] => {
    if (!isObject(call)) return []
    const read = calledOf(call)
    const given = finishWord(call.id) ?? missingCallId(replyId, choice, position)
    const signature = signatureOf(call)
    return [
      {
        type: 'call',
        id: distinct(given),
        name: read.name,
        custom: read.custom,
        arguments: read.text,
        ...(signature === undefined ? {} : { signature }),
      },
    ]
  })
}

/** The name and the text of a call or of a piece of one, whichever kind it is. */
export function calledOf(call: Json): { name: string; text: string; custom: boolean } {
  const custom = isObject(call.custom)
  const called = custom ? call.custom : call.function
  if (!isObject(called)) return { name: '', text: '', custom: call.type === 'custom' }
  const given = custom ? called.input : called.arguments
  const text = typeof given === 'string' ? given : isObject(given) ? JSON.stringify(given) : ''
  return { name: typeof called.name === 'string' ? called.name : '', text, custom }
}
