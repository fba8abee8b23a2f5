// A streamed answer from an upstream of this dialect. Compatible services leave out or repeat what they please:
// whatever has one sensible reading is read so.

import { openNamedCalls } from '../../../canonical/encoding/call-ids.ts'
import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Emit } from '../../../canonical/event.ts'
import type { Stop } from '../../../canonical/finish.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Block } from '../../../canonical/reply.ts'
import type { Codec } from '../../../framing/codec.ts'
import { openEventReader } from '../../../framing/event-reader.ts'
import { type SseEvent, SseOverflow } from '../../../framing/sse.ts'
import type { ReplyQuirks } from '../../pass-through.ts'
import type { StreamDecoder } from '../../text-dialect.ts'
import { decodeError } from '../error.ts'
import type { WireReply, WireUsage } from '../wire.ts'
import { openBlockQueue, type QueuedBlock } from './block-queue.ts'
import { decodeCitation } from './citations.ts'
import { argumentsOf, decodeBlock, decodeBlocks, omittedName } from './decode-reply.ts'
import { openSearches } from './searches.ts'
import { decodeStop } from './stop.ts'
import { decodeFigures, mergeFigures, NO_FIGURES, startFigures, usageFrom } from './usage.ts'

/** A block that no other dialect knows; its deltas go with it. */
const SKIPPED = 'skipped'

/** The call of a search, whose query comes in its deltas. */
const SEARCH = 'search'

/** More names of things dropped than this are not worth telling, and must not be kept. */
const MOST_UNKNOWN_DELTAS = 16

export function openStreamDecoder(emit: Emit, codec: Codec, quirks?: ReplyQuirks): StreamDecoder {
  const reader = openEventReader(take, codec)
  const queue = openBlockQueue(emit)
  const blocks = new Map<number, QueuedBlock | typeof SKIPPED | typeof SEARCH>()
  const searches = openSearches()
  const unknownDeltas = new Set<string>()
  let figures = NO_FIGURES
  let stop: Stop | undefined
  let started = false
  let ended = false
  let lastIndex = 0
  let answerId: string | undefined
  const idOfCall = openNamedCalls(() => answerId)

  /** Usage of what was made has been reported; what is told at the start is only an announcement. */
  let hasReport = false

  function take(event: SseEvent): void {
    if (ended || event.data === '' || event.data === '[DONE]' || event.event === 'ping') return
    const data = parsedJson(event.data)
    if (!isObject(data)) {
      fail({ code: 'upstream_error', message: 'The upstream sent an event that cannot be read.' })
      return
    }
    const type = typeof data.type === 'string' ? data.type : event.event
    if (type === 'content_block_delta') takeDelta(data)
    else if (type === 'content_block_start')
      startBlock(indexIn(data), isObject(data.content_block) ? data.content_block : {})
    else if (type === 'content_block_stop') stopBlock(indexIn(data))
    else if (type === 'message_delta') takeMessageDelta(data)
    else if (type === 'message_start') takeMessageStart(isObject(data.message) ? data.message : {})
    else if (type === 'message_stop') finish()
    else if (type === 'error' || isObject(data.error)) fail(decodeError(200, data))
  }

  /** Which block is meant; services that do not say it mean the last one. */
  function indexIn(data: Json): number {
    if (typeof data.index === 'number') lastIndex = data.index
    return lastIndex
  }

  function start(id: string | undefined): void {
    if (started) return
    started = true
    emit({ type: 'start', id, usage: usageFrom({ ...figures, output: undefined, thinking: undefined }) })
  }

  function takeMessageStart(message: WireReply & Json): void {
    const id = typeof message.id === 'string' ? message.id : undefined
    const isRepeated = started && id === answerId
    stop = decodeStop(message) ?? stop
    if (isObject(message.usage)) figures = mergeFigures(figures, startFigures(message, quirks))
    answerId = id
    start(id)
    if (isRepeated) return
    const whole = decodeBlocks(message.content, idOfCall)
    for (const block of whole.blocks) takeWhole(block)
    for (const what of whole.omitted) emit({ type: 'omitted', what })
  }

  /** An answer that is already there when the stream begins. */
  function takeWhole(block: Block): void {
    queue.close(addBlock(block))
  }

  function addBlock(block: Block): QueuedBlock {
    if (block.type === 'call') {
      const { id, name, custom } = block
      const added = queue.add({ type: 'call', id, name, custom })
      added.arguments = block.arguments
      return added
    }
    if (block.type === 'reasoning') {
      const added = queue.add({ type: 'reasoning', style: block.style })
      added.signature = block.signature ?? ''
      queue.text(added, block.text)
      return added
    }
    if (block.type === 'search') return queue.add(block)
    if (block.type !== 'text') return queue.add(block.type === 'redacted' ? block : { type: 'text' })
    const added = queue.add({ type: 'text' })
    queue.text(added, block.text)
    for (const citation of block.citations) queue.citation(added, citation)
    return added
  }

  function startBlock(at: number, wire: Json): void {
    start(undefined)
    stopBlock(at)
    if (searches.isPart(wire)) {
      const search = searches.take(wire)
      if (search !== undefined) takeWhole(search)
      blocks.set(at, SEARCH)
      return
    }
    const block = decodeBlock(wire, idOfCall)
    // What it is will be seen from its deltas.
    if (block === undefined && typeof wire.type !== 'string') return
    if (block === undefined) {
      blocks.set(at, SKIPPED)
      emit({ type: 'omitted', what: omittedName(wire) })
      return
    }
    const added = addBlock(block)
    if (block.type === 'redacted') queue.close(added)
    else blocks.set(at, added)
  }

  function stopBlock(at: number): void {
    const block = blocks.get(at)
    if (block === undefined) return
    blocks.delete(at)
    if (typeof block !== 'string') queue.close(block)
  }

  /**
   * The block for a delta of this kind. Some services send reasoning inside a block that they began as text, and some
   * begin none at all.
   */
  function blockFor(at: number, type: 'text' | 'reasoning'): QueuedBlock | undefined {
    const block = blocks.get(at)
    if (typeof block === 'string') return undefined
    if (block?.open.type === type) return block
    start(undefined)
    stopBlock(at)
    const added = queue.add(type === 'text' ? { type } : { type, style: 'summary' })
    blocks.set(at, added)
    return added
  }

  function takeDelta(data: Json): void {
    const at = indexIn(data)
    const delta = isObject(data.delta) ? data.delta : {}
    switch (delta.type) {
      case 'text_delta': {
        if (typeof delta.text !== 'string' || delta.text === '') return
        const block = blockFor(at, 'text')
        if (block !== undefined) queue.text(block, delta.text)
        return
      }
      case 'thinking_delta': {
        if (typeof delta.thinking !== 'string' || delta.thinking === '') return
        const block = blockFor(at, 'reasoning')
        if (block !== undefined) queue.text(block, delta.thinking)
        return
      }
      case 'input_json_delta': {
        const block = blocks.get(at)
        const json = delta.partial_json
        if (block === SEARCH && typeof json === 'string') searches.addInput(json)
        if (typeof block === 'string') return
        if (block?.open.type !== 'call') tellUnknown('input_json_delta')
        else queue.text(block, isObject(json) ? argumentsOf(json) : typeof json === 'string' ? json : '')
        return
      }
      case 'signature_delta': {
        if (typeof delta.signature !== 'string' || delta.signature === '') return
        const block = blockFor(at, 'reasoning')
        if (block !== undefined) block.signature = delta.signature
        return
      }
      case 'citations_delta': {
        const citation = decodeCitation(delta.citation)
        const block = citation === undefined ? undefined : blockFor(at, 'text')
        if (block !== undefined && citation !== undefined) queue.citation(block, citation)
        return
      }
      default:
        if (typeof blocks.get(at) !== 'string')
          tellUnknown(typeof delta.type === 'string' ? delta.type : 'content_block_delta')
    }
  }

  function tellUnknown(what: string): void {
    if (unknownDeltas.has(what) || unknownDeltas.size >= MOST_UNKNOWN_DELTAS) return
    unknownDeltas.add(what)
    start(undefined)
    emit({ type: 'omitted', what })
  }

  function takeMessageDelta(data: Json): void {
    start(undefined)
    const delta = isObject(data.delta) ? data.delta : {}
    stop = decodeStop(delta as WireReply) ?? stop
    const usage = [data.usage, delta.usage].find(isObject)
    if (usage === undefined) return
    figures = mergeFigures(figures, decodeFigures(usage as WireUsage, delta))
    hasReport = true
  }

  function finish(): void {
    start(undefined)
    for (const search of searches.rest()) takeWhole(search)
    queue.closeAll()
    const usage = usageFrom(figures)
    if (usage !== undefined) emit({ type: 'usage', usage })
    if (stop !== undefined) emit({ type: 'stop', choice: 0, stop })
    ended = true
    emit({ type: 'end' })
  }

  function fail(error: ErrorInfo): void {
    if (ended) return
    ended = true
    const usage = hasReport ? usageFrom(figures) : undefined
    if (usage !== undefined) emit({ type: 'usage', usage })
    emit({ type: 'error', error })
  }

  /** The two ways in which reading itself can fail: an event without end, and JSON too deep to be written again. */
  function guarded(read: () => void): void {
    if (ended) return
    try {
      read()
    } catch (thrown) {
      if (!(thrown instanceof SseOverflow) && !(thrown instanceof RangeError)) throw thrown
      fail({ code: 'upstream_error', message: 'The upstream sent an event that is too large to be read.' })
    }
  }

  return {
    push(bytes) {
      guarded(() => reader.push(bytes))
    },
    end() {
      guarded(() => reader.end())
      if (ended) return
      if (stop !== undefined) finish()
      else fail({ code: 'upstream_error', message: 'The upstream ended its answer before it was complete.' })
    },
  }
}
