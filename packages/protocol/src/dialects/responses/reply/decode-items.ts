// An answer of the responses dialect, item by item, as canonical events. A stream feeds it events; a whole answer is a
// stream of which only the last event came. So both are read by the same rules.
//
// Services disagree about everything but `output_index`: some give an item another id in each event, some leave out
// deltas, some the closing events, some repeat the whole in the last event. Whatever says something new is taken, and
// nothing is taken twice.

import { openNamedCalls } from '../../../canonical/encoding/call-ids.ts'
import type { Emit } from '../../../canonical/event.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import { mergeUsage, type Usage } from '../../../canonical/usage.ts'
import type { ReadEvent, ReadResponse } from '../wire.ts'
import { openBlockQueue } from './block-queue.ts'
import {
  contentIndex,
  decodeArguments,
  decodeStop,
  idsOfCall,
  lengthOfText,
  listOf,
  reasoningIndex,
  textOf,
} from './decode-details.ts'
import { type Item, isCall, KINDS, openItemDecoder, type Style } from './decode-item.ts'
import { decodeUsage, openHostedCalls } from './usage.ts'

export type ItemsDecoder = {
  begin(response: unknown): void
  added(event: ReadEvent): void
  partDone(event: ReadEvent): void
  itemDone(event: ReadEvent): void
  text(event: ReadEvent, type: 'text' | 'refusal'): void
  textDone(event: ReadEvent, type: 'text' | 'refusal'): void
  annotation(event: ReadEvent): void
  reasoning(event: ReadEvent, style: Style): void
  reasoningDone(event: ReadEvent, style: Style): void
  callPiece(event: ReadEvent): void
  callDone(event: ReadEvent): void
  /** The last event of an answer. Another answer may still follow. */
  finish(response: ReadResponse): void
  /** The stream says that it is over, though no last event came: what came is the answer, if there is any. */
  endEarly(): void
  /** Usage, the reason and the end, or nothing when the answer is not complete. True: the end was emitted. */
  end(): boolean
  /** What an answer that failed has used. */
  usageOf(response: unknown): void
  readonly isComplete: boolean
}

export function openItemsDecoder(emit: Emit): ItemsDecoder {
  const lane = openBlockQueue((event) => {
    start(undefined)
    emit(event)
  })
  let items = new Map<number, Item>()
  let indexes = new Map<string, number>()
  let replyId: string | undefined
  const writer = openItemDecoder(lane, {
    start: () => start(undefined),
    omit,
    idOfCall: openNamedCalls(() => replyId),
  })
  const { said } = writer
  let started = false
  let isComplete = false
  let usage: Usage | undefined
  let calls = openHostedCalls()
  let stop: ReturnType<typeof decodeStop> | undefined

  function start(response: unknown): void {
    if (started) return
    started = true
    const known = isObject(response) ? response : {}
    replyId = textOf(known.id) || undefined
    emit({ type: 'start', id: replyId, usage: decodeUsage(known, undefined) })
  }

  function omit(what: string): void {
    start(undefined)
    emit({ type: 'omitted', what })
  }

  /** The item that an event speaks of. */
  function itemAt(event: ReadEvent, type: string): Item {
    const index = indexOf(event, event.item_id)
    const known = items.get(index)
    // Some services put every item in the same place, and do not say where one begins.
    const isIt =
      known !== undefined && (known.type === type || known.type === '' || (isCall(type) && isCall(known.type)))
    return isIt ? known : addItem(index, { type })
  }

  /** Where an event leaves out the index, the id may tell it; else the newest item is meant. */
  function indexOf(event: ReadEvent, id: unknown): number {
    if (typeof event.output_index === 'number') return event.output_index
    return indexes.get(textOf(id)) ?? Math.max(0, ...items.keys())
  }

  /** The item at this place: the one that is open there if it can be the same, else a new one. */
  function addItem(index: number, wire: Json): Item {
    const known = items.get(index)
    const type = textOf(wire.type)
    if (known !== undefined && !known.isDone && (known.type === type || known.type === '')) {
      known.type = type
      known.isTold = KINDS.has(type)
      return known
    }
    if (known !== undefined) writer.closeItem(known)
    const callId = textOf(wire.call_id)
    const item: Item = {
      type,
      callId,
      isDone: false,
      isTold: KINDS.has(type),
      parts: new Map(),
      reasoning: undefined,
      styles: new Set(),
      call: undefined,
    }
    items.set(index, item)
    indexes.set(textOf(wire.id), index)
    if (isCall(item.type) && textOf(wire.name) !== '') writer.beginCall(item, wire)
    return item
  }

  function takeWhole(index: number, wire: Json): void {
    const item = addItem(index, wire)
    if (!item.isDone) writer.whole(item, wire)
  }

  /** The last event repeats all items: those of a kind that never came are news, and messages beyond those that did. */
  function takeNews(output: readonly unknown[]): void {
    const before = new Set(said.given)
    let repeated = lengthOfText(output) > said.textLength ? said.messages : Number.POSITIVE_INFINITY
    for (const [index, wire] of output.entries()) {
      if (!isObject(wire)) continue
      const known = items.get(index)
      if (known?.isDone === false && known.type === wire.type) takeWhole(index, wire)
      else if (isNews(wire, before) || (wire.type === 'message' && repeated <= 0))
        takeWhole(items.has(index) ? NEWS + index : index, wire)
      if (wire.type === 'message') repeated--
    }
  }

  return {
    begin(response) {
      start(response)
      if (!isComplete) return
      // A second answer in the same stream: its items are numbered from 0 again.
      isComplete = false
      items = new Map()
      indexes = new Map()
      said.given.clear()
      said.messages = 0
      said.textLength = 0
      usage = undefined
      calls = openHostedCalls()
    },
    added(event) {
      const wire = event.item
      if (!isObject(wire)) return
      const index = typeof event.output_index === 'number' ? event.output_index : items.size
      const known = items.get(index)
      const isAnother = known !== undefined && known.callId !== textOf(wire.call_id)
      if (isAnother) writer.closeItem(known)
      addItem(index, wire)
    },
    partDone(event) {
      const item = itemAt(event, isObject(event.part) && event.part.type === 'reasoning_text' ? 'reasoning' : 'message')
      const index = contentIndex(event)
      writer.wholePart(item, index, event.part)
      const block = item.parts.get(index)
      if (block !== undefined) lane.close(block)
    },
    itemDone(event) {
      if (!isObject(event.item)) return
      const index = indexOf(event, event.item.id)
      calls.add(event.item, index)
      takeWhole(index, event.item)
    },
    text(event, type) {
      const text = textOf(event.delta)
      const item = itemAt(event, 'message')
      if (text === '' && !Array.isArray(event.logprobs)) return
      const block =
        text === '' ? item.parts.get(contentIndex(event)) : writer.partBlock(item, contentIndex(event), type)
      if (block === undefined || block.isClosed) return
      if (text !== '') writer.say(block, text)
      writer.addLogprobs(block, event.logprobs)
    },
    textDone(event, type) {
      const part = { type, text: event.text, refusal: event.refusal, logprobs: event.logprobs }
      writer.wholePart(itemAt(event, 'message'), contentIndex(event), part)
    },
    annotation(event) {
      writer.cite(writer.partBlock(itemAt(event, 'message'), contentIndex(event), 'text'), event.annotation)
    },
    reasoning(event, style) {
      writer.think(itemAt(event, 'reasoning'), style, reasoningIndex(event, style), textOf(event.delta))
    },
    reasoningDone(event, style) {
      const item = itemAt(event, 'reasoning')
      const index = reasoningIndex(event, style)
      const seen = item.reasoning?.style === style && item.reasoning.seen.has(index)
      if (!seen && !item.isDone) writer.think(item, style, index, textOf(event.text))
    },
    callPiece(event) {
      const { call } = itemAt(event, 'function_call')
      const text = textOf(event.delta)
      if (call !== undefined && !call.isClosed && text !== '') lane.add(call, { type: 'delta', text })
    },
    callDone(event) {
      writer.completeCall(itemAt(event, 'function_call'), decodeArguments(event.arguments ?? event.input))
    },
    finish(response) {
      start(response)
      takeNews(listOf(response.output))
      calls.replace(listOf(response.output))
      for (const item of items.values()) writer.closeItem(item)
      lane.closeAll()
      isComplete = true
      this.usageOf(response)
      stop = decodeStop(response, said)
    },
    usageOf(response) {
      const read = decodeUsage(response, calls)
      if (read === undefined) return
      usage = mergeUsage(usage, read)
      if (isComplete) return
      start(response)
      emit({ type: 'usage', usage })
    },
    endEarly() {
      if (!isComplete && said.given.size > 0) this.finish({ status: 'completed' })
    },
    end() {
      if (!isComplete) return false
      if (usage !== undefined) emit({ type: 'usage', usage })
      if (stop !== undefined) emit({ type: 'stop', choice: 0, stop })
      emit({ type: 'end' })
      return true
    },
    get isComplete() {
      return isComplete
    },
  }

  function isNews(wire: Json, before: ReadonlySet<string>): boolean {
    const type = textOf(wire.type)
    if (isCall(type)) return !idsOfCall(wire).some((id) => before.has(`call ${id}`))
    return !before.has(KINDS.has(type) ? type : `item ${type}`)
  }
}

/** Numbers that no stream uses, for items of the last event whose place is taken by another. */
const NEWS = 1_000_000
