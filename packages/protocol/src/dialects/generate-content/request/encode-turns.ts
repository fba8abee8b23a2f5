// Turns as contents for an upstream.

import type { ToolNames } from '../../../canonical/encoding/tool-names.ts'
import { alternatingTurns } from '../../../canonical/encoding/turns.ts'
import { warnOfUnsigned } from '../../../canonical/encoding/unsupported-fields.ts'
import { documentText } from '../../../canonical/media.ts'
import { isObject, parsedJson, unsupported } from '../../../canonical/reading.ts'
import type { CallPart, CanonicalRequest, MediaPart, Part, ResultPart, Turn } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type { Target } from '../../text-dialect.ts'
import type { WireContent, WirePart, WireRequest } from '../wire.ts'
import { isVideoPage } from './decode-media.ts'
import type { ModelRules } from './model-rules.ts'

/** What the vendor documents for calls that one of its models did not make. */
const UNSIGNED_CALL = 'skip_thought_signature_validator'

type Writing = { target: Target; names: ToolNames; rules: ModelRules }

export function encodeContents(
  request: CanonicalRequest,
  writing: Writing,
): Pick<WireRequest, 'systemInstruction' | 'contents'> {
  const { target } = writing
  const ready = request.turns.every(isReady)
    ? request
    : { ...request, turns: request.turns.map((turn) => readyTurn(turn, target)) }
  const { instructions, turns } = alternatingTurns(ready, target.warn)
  const nameOf = new Map<string, string>()
  const contents = turns.map((turn): WireContent => {
    if (turn.role === 'assistant') return { role: 'model', parts: modelParts(turn.parts, nameOf, writing) }
    return { role: 'user', parts: turn.parts.flatMap((part) => userParts(part, nameOf, writing)) }
  })
  if (instructions.length === 0) return { contents }
  return { systemInstruction: { parts: instructions.map(({ text }) => ({ text })) }, contents }
}

/** Nothing but text, without a signature. */
const isReady = ({ parts }: Turn): boolean =>
  parts.every((part) => part.type === 'text' && part.text !== '' && part.signature === undefined)

/** Without what this upstream cannot be told, and with its own signatures in place of the sealed ones. */
function readyTurn(turn: Turn, target: Target): Turn {
  warnOfUnsigned(turn.parts, target.warn)
  return { ...turn, parts: turn.parts.flatMap((part) => readyPart(part, target)) }
}

function readyPart(part: Part, target: Target): Part[] {
  switch (part.type) {
    case 'foreign':
      target.warn('turns', 'dropped')
      return []
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'redacted': {
      const data = target.unseal(part.data)
      return data === undefined ? [] : [{ type: 'redacted', data }]
    }
    case 'result':
      return [part]
    default: {
      const { signature, ...rest } = part
      const own = signature === undefined ? undefined : target.unseal(signature)
      if (own !== undefined) return [{ ...rest, signature: own }]
      // Reasoning of another model means nothing to this one, and must not become its words.
      return part.type === 'reasoning' || (part.type === 'text' && part.text === '') ? [] : [rest]
    }
  }
}

function modelParts(parts: readonly Part[], nameOf: Map<string, string>, writing: Writing): WirePart[] {
  const wire: WirePart[] = []
  let isFirstCall = true
  /** A signature that another dialect had to put into reasoning of its own: it belongs to the call that follows. */
  let carried: string | undefined
  const release = (): void => {
    if (carried !== undefined) wire.push({ text: '', thoughtSignature: carried })
    carried = undefined
  }
  for (const part of parts) {
    if (part.type === 'redacted' || (part.type === 'reasoning' && part.text === '')) {
      release()
      carried = part.type === 'redacted' ? part.data : part.signature
    } else if (part.type === 'call') {
      nameOf.set(part.id, part.name)
      const needed = isFirstCall && writing.rules.signedCalls ? UNSIGNED_CALL : undefined
      if (part.signature !== undefined) release()
      const signature = part.signature ?? carried ?? needed
      carried = undefined
      isFirstCall = false
      const call = { name: writing.names.sent(part.name), args: argumentsOf(part, writing.target.warn) }
      wire.push({ functionCall: call, ...signed(signature) })
    } else {
      release()
      if (part.type === 'reasoning') wire.push({ text: part.text, thought: true, ...signed(part.signature) })
      else if (part.type === 'text') wire.push({ text: part.text, ...signed(part.signature) })
      else if (part.type === 'media') wire.push(...mediaParts(part, writing.target))
    }
  }
  release()
  return wire
}

const signed = (signature: string | undefined): Pick<WirePart, 'thoughtSignature'> =>
  signature === undefined ? {} : { thoughtSignature: signature }

function argumentsOf(call: CallPart, warn: Warn): Record<string, unknown> {
  if (call.custom) return { input: call.arguments }
  const { args, isChanged } = argumentsObject(call.arguments)
  if (isChanged) warn('arguments', 'changed')
  return args
}

/** Arguments are an object here. What a model wrote otherwise is kept in one. */
export function argumentsObject(text: string): { args: Record<string, unknown>; isChanged: boolean } {
  if (text.trim() === '') return { args: {}, isChanged: false }
  const value = parsedJson(text)
  if (isObject(value)) return { args: value, isChanged: false }
  return { args: value === undefined ? { _raw: text } : { value }, isChanged: true }
}

function userParts(part: Part, nameOf: ReadonlyMap<string, string>, writing: Writing): WirePart[] {
  switch (part.type) {
    case 'text':
      return [{ text: part.text }]
    case 'media':
      return mediaParts(part, writing.target)
    case 'result':
      return resultParts(part, nameOf, writing)
    default:
      return []
  }
}

function resultParts(result: ResultPart, nameOf: ReadonlyMap<string, string>, writing: Writing): WirePart[] {
  const { target, rules, names } = writing
  const name = nameOf.get(result.callId)
  if (name === undefined) {
    throw unsupported(result.at, `There is no tool call with the id '${result.callId}' before its result.`)
  }
  const texts: string[] = []
  const media: WirePart[] = []
  for (const part of result.parts) {
    for (const one of part.type === 'text' ? [{ text: part.text }] : mediaParts(part, target)) {
      if (one.text === undefined) media.push(one)
      else texts.push(one.text)
    }
  }
  const functionResponse = { name: names.sent(name), response: responseOf(texts.join('\n'), result.isError === true) }
  if (media.length === 0) return [{ functionResponse }]
  if (rules.mediaInResults) return [{ functionResponse: { ...functionResponse, parts: media } }]
  return [{ functionResponse }, { text: `[output of ${names.sent(name)}]` }, ...media]
}

function responseOf(text: string, isError: boolean): Record<string, unknown> {
  if (isError) return { error: text }
  const value = text.trimStart().startsWith('{') ? parsedJson(text) : undefined
  return isObject(value) && !mayRefer(text, value) ? value : { output: text }
}

/**
 * Whether there is a key like `$ref` at any depth. The vendor takes such a key for a reference to a media part, does not find the
 * part, and rejects this turn and every later one, which repeats it. The same words as text are harmless.
 */
function mayRefer(text: string, value: unknown): boolean {
  if (!text.includes('"$') && !text.includes('\\u0024')) return false
  // The depth of a tool's result has no limit, so nothing is called for each level.
  const open = [value]
  while (open.length > 0) {
    const held = open.pop()
    if (typeof held !== 'object' || held === null) continue
    for (const [key, inner] of Object.entries(held)) {
      if (key.startsWith('$')) return true
      open.push(inner)
    }
  }
  return false
}

/** The vendor has no field for a file's name or for what the caller says of it: the model reads them before the file. */
function saidAbout({ media, name, context, source }: MediaPart): WirePart[] {
  const title = media === 'document' && source.kind !== 'text' ? name : undefined
  return [title === undefined ? undefined : `[${title}]`, context]
    .filter((text) => text !== undefined)
    .map((text) => ({ text }))
}

function mediaParts(part: MediaPart, target: Target): WirePart[] {
  if (part.cite === true) target.warn('turns', 'changed')
  if (part.name !== undefined && part.media !== 'document') target.warn('fileName', 'dropped')
  const { source } = part
  const said = saidAbout(part)
  const signature = signed(part.signature)
  switch (source.kind) {
    case 'inline':
      return [...said, { inlineData: { mimeType: source.mime, data: source.data }, ...signature }]
    case 'text':
      return [...said, { text: documentText(part.name, source.text), ...signature }]
    case 'url': {
      if (isVideoPage(source.url)) return [...said, { fileData: { fileUri: source.url }, ...signature }]
      const { mime, data } = target.fetched(source.url)
      return [...said, { inlineData: { mimeType: mime, data }, ...signature }]
    }
    default:
      throw unsupported(part.at, 'A file that is kept at a vendor cannot be used with this model: send its content.')
  }
}
