// One candidate of an upstream's answer. Parts of the same kind in a row are one block: that is how a stream cuts it.

import { callId, shortHash } from '../../../canonical/encoding/tool-names.ts'
import type { Emit, Logprob, OpenBlock } from '../../../canonical/event.ts'
import { standardBase64 } from '../../../canonical/media.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import { type GrowingArguments, growingArguments } from './call-arguments.ts'
import { decodeCitations, decodeResults } from './citations.ts'
import { queriesIn } from './grounding.ts'
import { decodeLogprobs } from './logprobs.ts'
import { stopOf } from './stop.ts'

export type CandidateDecoder = {
  take(candidate: Json): void
  isFinished(): boolean
  close(): void
  stop(): void
}

/** Shared by the candidates of one answer: blocks and calls are counted over all of them. */
export type AnswerIds = { answer: string | undefined; calls: number; blocks: number }

type Open = { index: number; type: 'text' | 'reasoning'; isSigned: boolean; text: string; isAscii: boolean }

/** A call whose arguments come in pieces. */
type GrowingCall = { name: string; given: unknown; signature: string | undefined; args: GrowingArguments }

export function openCandidateDecoder(emit: Emit, choice: number, ids: AnswerIds): CandidateDecoder {
  let open: Open | undefined
  let call: GrowingCall | undefined
  let sawCall = false
  let finish: { raw: string; message: string | undefined } | undefined
  /** Sources and probabilities wait here for a text to be open. */
  let sources: Json = {}
  let hasSources = false
  const toldSources = new Set<string>()
  const toldQueries = new Set<string>()
  let hasBlocks = false
  let logprobs: Logprob[] = []
  const callIds = new Set<string>()

  function openBlock(block: OpenBlock): number {
    const index = ids.blocks++
    hasBlocks = true
    emit({ type: 'open', index, choice, block })
    return index
  }

  function closeBlock(): void {
    if (open === undefined) return
    if (open.type === 'text') tellSources(open)
    emit({ type: 'close', index: open.index })
    open = undefined
  }

  function tellSources({ index, text, isAscii }: Open): void {
    if (!hasSources) return
    for (const citation of decodeCitations(sources, text, isAscii)) {
      const key = JSON.stringify(citation)
      if (toldSources.has(key)) continue
      toldSources.add(key)
      emit({ type: 'citation', index, citation })
    }
    hasSources = false
  }

  /** Each query is a search; the pages are those of all of them. */
  function tellSearches(): void {
    const { groundingMetadata: grounding } = sources
    if (!isObject(grounding)) return
    for (const query of new Set(queriesIn(grounding))) {
      if (toldQueries.has(query)) continue
      const results = toldQueries.size === 0 ? decodeResults(grounding) : []
      toldQueries.add(query)
      emit({ type: 'close', index: openBlock({ type: 'search', queries: [query], results }) })
    }
  }

  function tellLogprobs(): void {
    if (logprobs.length === 0 || open?.type !== 'text') return
    emit({ type: 'logprobs', index: open.index, items: logprobs })
    logprobs = []
  }

  /** A signature belongs to one part: what comes after it is another one. */
  function blockFor(type: 'text' | 'reasoning'): Open {
    if (open !== undefined && open.type === type && !open.isSigned) return open
    closeBlock()
    const index = openBlock(type === 'text' ? { type } : { type, style: 'summary' })
    open = { index, type, isSigned: false, text: '', isAscii: true }
    return open
  }

  function sign(block: Open, signature: string): void {
    block.isSigned = true
    emit({ type: 'signature', index: block.index, value: signature })
  }

  function takeText(text: string, isReasoning: boolean, signature: string | undefined): void {
    if (text === '') {
      // A signature of its own belongs to what was said before it. With nothing before it, it signs reasoning that is not shown.
      if (signature !== undefined) sign(open !== undefined && !open.isSigned ? open : blockFor('reasoning'), signature)
      return
    }
    const block = blockFor(isReasoning ? 'reasoning' : 'text')
    emit({ type: 'delta', index: block.index, text })
    if (block.type === 'text') block.text += text
    if (block.isAscii && utf8Length(text) !== text.length) block.isAscii = false
    if (signature !== undefined) sign(block, signature)
  }

  function takeCall(wire: Json, signature: string | undefined): void {
    const isNamed = typeof wire.name === 'string' && wire.name !== ''
    if (isNamed) {
      endCall()
      closeBlock()
      call = { name: String(wire.name), given: wire.id, signature, args: growingArguments() }
    }
    if (call === undefined) {
      // The end of a call whose pieces have all come holds nothing.
      if (wire.args !== undefined || wire.partialArgs !== undefined) emit({ type: 'omitted', what: 'functionCall' })
      return
    }
    call.signature ??= signature
    call.args.merge(wire.args)
    if (Array.isArray(wire.partialArgs)) for (const piece of wire.partialArgs) call.args.add(piece)
    if (wire.willContinue !== true) endCall()
  }

  function endCall(): void {
    if (call === undefined) return
    const { name, given, signature, args } = call
    call = undefined
    sawCall = true
    const json = args.json()
    const index = openBlock({ type: 'call', id: idOfCall(given, name, json), name, custom: false })
    if (signature !== undefined) emit({ type: 'signature', index, value: signature })
    emit({ type: 'delta', index, text: json })
    emit({ type: 'close', index })
  }

  /** Where the upstream gives none: made of the answer's id, so that it is another in each turn of a conversation. */
  function idOfCall(given: unknown, name: string, json: string): string {
    const position = ids.calls++
    const own = typeof given === 'string' && given !== '' ? given : undefined
    const made = own ?? callId(`call_${ids.answer ?? shortHash(name + json)}_${position}`)
    const id = callIds.has(made) ? `${made}_${position}` : made
    callIds.add(id)
    return id
  }

  function takeMedia(wire: Json, isReasoning: boolean, signature: string | undefined): void {
    const data = typeof wire.data === 'string' ? standardBase64(wire.data) : undefined
    const mime = typeof wire.mimeType === 'string' ? wire.mimeType : 'application/octet-stream'
    // Spoken answers have no place in other dialects, and must not pass for images there.
    if (isReasoning || data === undefined || !mime.startsWith('image/')) {
      emit({ type: 'omitted', what: isReasoning ? 'thought image' : 'inlineData' })
      return
    }
    const index = openBlock({ type: 'media', mime, data })
    if (signature !== undefined) emit({ type: 'signature', index, value: signature })
    emit({ type: 'close', index })
  }

  function takePart(part: Json): void {
    const { text, functionCall, thoughtSignature } = part
    const signature = typeof thoughtSignature === 'string' && thoughtSignature !== '' ? thoughtSignature : undefined
    if (isObject(functionCall)) {
      takeCall(functionCall, signature)
      return
    }
    if (typeof text === 'string') {
      if (text !== '' || signature !== undefined) endCall()
      takeText(text, part.thought === true, signature)
      tellLogprobs()
      return
    }
    const what = Object.keys(part).find((name) => !BESIDE.has(name))
    if (what === undefined) {
      if (signature !== undefined) takeText('', false, signature)
      return
    }
    endCall()
    closeBlock()
    if (isObject(part.inlineData)) takeMedia(part.inlineData, part.thought === true, signature)
    else emit({ type: 'omitted', what })
  }

  return {
    take(candidate) {
      if (candidate.citationMetadata !== undefined || candidate.groundingMetadata !== undefined) {
        sources = { ...sources, ...pick(candidate, 'citationMetadata'), ...pick(candidate, 'groundingMetadata') }
        hasSources = true
        // Before what was made of it, where it is known by then. In streams it comes last.
        if (!hasBlocks) tellSearches()
      }
      if (candidate.logprobsResult !== undefined) logprobs.push(...decodeLogprobs(candidate.logprobsResult))
      if (candidate.urlContextMetadata !== undefined) emit({ type: 'omitted', what: 'urlContextMetadata' })
      const content = candidate.content
      const parts = isObject(content) ? content.parts : undefined
      if (Array.isArray(parts)) for (const part of parts) if (isObject(part)) takePart(part)
      tellLogprobs()
      const { finishReason, finishMessage } = candidate
      if (typeof finishReason === 'string' && finishReason !== '') {
        finish = { raw: finishReason, message: typeof finishMessage === 'string' ? finishMessage : undefined }
      }
    },
    isFinished: () => finish !== undefined,
    close() {
      endCall()
      closeBlock()
      tellSearches()
      if (logprobs.length > 0) emit({ type: 'omitted', what: 'logprobsResult' })
      if (hasSources && decodeCitations(sources, '', false).length > 0) emit({ type: 'omitted', what: 'citations' })
    },
    stop() {
      if (finish !== undefined) emit({ type: 'stop', choice, stop: stopOf(finish.raw, sawCall, finish.message) })
    },
  }
}

const BESIDE = new Set(['thought', 'thoughtSignature', 'videoMetadata', 'mediaResolution', 'partMetadata'])

const pick = (from: Json, name: string): Json => (from[name] === undefined ? {} : { [name]: from[name] })
