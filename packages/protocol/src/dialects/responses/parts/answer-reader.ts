// An answer of the responses dialect, item by item, as canonical events. A stream feeds it events; a whole answer is a
// stream of which only the last event came. So both are read by the same rules.
//
// Services disagree about everything but `output_index`: some give an item another id in each event, some leave out
// deltas, some the closing events, some repeat the whole in the last event. Whatever says something new is taken, and
// nothing is taken twice.

import { openNamedCalls } from '../../../canonical/call-ids.ts'
import type { Emit } from '../../../canonical/event.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import { mergeUsage, type Usage } from '../../../canonical/usage.ts'
import type { ReadEvent, ReadResponse } from '../wire.ts'
import { type Block, openBlockLane } from './block-lane.ts'
import {
  contentIndex,
  idsOfCall,
  lengthOfText,
  listOf,
  readAnnotation,
  readArguments,
  readImage,
  readLogprobs,
  readStop,
  textOf,
  thoughtIndex,
} from './read-answer.ts'
import { openHostedCalls, readUsage } from './usage.ts'

type Style = 'summary' | 'full'

type Thoughts = { block: Block; style: Style; part: number; seen: Set<number> }

type Item = {
  type: string
  callId: string
  isDone: boolean
  /** That it was left out has been said, or there is nothing to say. */
  isTold: boolean
  /** Of a message, by content index. */
  parts: Map<number, Block>
  thoughts: Thoughts | undefined
  styles: Set<Style>
  call: Block | undefined
}

export type AnswerReader = {
  begin(response: unknown): void
  added(event: ReadEvent): void
  partDone(event: ReadEvent): void
  itemDone(event: ReadEvent): void
  text(event: ReadEvent, type: 'text' | 'refusal'): void
  textDone(event: ReadEvent, type: 'text' | 'refusal'): void
  annotation(event: ReadEvent): void
  thought(event: ReadEvent, style: Style): void
  thoughtDone(event: ReadEvent, style: Style): void
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

export function openAnswerReader(emit: Emit): AnswerReader {
  const lane = openBlockLane((event) => {
    start(undefined)
    emit(event)
  })
  let items = new Map<number, Item>()
  let indexes = new Map<string, number>()
  /** What the present answer has given so far: kinds of items, and ids of calls. */
  let given = new Set<string>()
  let replyId: string | undefined
  const idOfCall = openNamedCalls(() => replyId)
  /** How many messages of the present answer have come, and how much text: its last event may hold more of both. */
  let messages = 0
  let textLength = 0
  let started = false
  let isComplete = false
  let inCall = false
  let inRefusal = false
  let usage: Usage | undefined
  let calls = openHostedCalls()
  let stop: ReturnType<typeof readStop> | undefined

  function start(response: unknown): void {
    if (started) return
    started = true
    const known = isObject(response) ? response : {}
    replyId = textOf(known.id) || undefined
    emit({ type: 'start', id: replyId, usage: readUsage(known, undefined) })
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
    if (known !== undefined) closeItem(known)
    const callId = textOf(wire.call_id)
    const item: Item = {
      ...{ type, callId, isDone: false, isTold: KINDS.has(type) },
      ...{ parts: new Map(), thoughts: undefined, styles: new Set(), call: undefined },
    }
    items.set(index, item)
    indexes.set(textOf(wire.id), index)
    if (isCall(item.type) && textOf(wire.name) !== '') beginCall(item, wire)
    return item
  }

  function beginCall(item: Item, wire: Json): void {
    const [id = ''] = idsOfCall(wire)
    tellCall(wire)
    inCall = true
    const custom = item.type === 'custom_tool_call'
    start(undefined)
    item.call = lane.begin({ type: 'call', id: idOfCall(id), name: textOf(wire.name), custom })
  }

  /** By both of its ids: some services leave out one of them in one event, and the other in the next. */
  function tellCall(wire: Json): void {
    for (const id of idsOfCall(wire)) given.add(`call ${id}`)
  }

  function closeItem(item: Item): void {
    if (item.isDone) return
    item.isDone = true
    for (const block of item.parts.values()) lane.close(block)
    if (item.thoughts !== undefined) lane.close(item.thoughts.block)
    if (item.call !== undefined) lane.close(item.call)
    if (!item.isTold) omit(item.type)
  }

  function partBlock(item: Item, index: number, type: 'text' | 'refusal'): Block {
    const known = item.parts.get(index)
    if (known !== undefined && !known.isClosed) return known
    given.add('message')
    if (item.parts.size === 0) messages++
    if (type === 'refusal') inRefusal = true
    const block = lane.begin({ type })
    item.parts.set(index, block)
    return block
  }

  /** A part as an event repeats it whole: whatever has not come yet. */
  function wholePart(item: Item, index: number, part: unknown): void {
    if (!isObject(part) || part.type === 'reasoning_text') return
    const type = part.type === 'refusal' ? 'refusal' : 'text'
    const text = textOf(part.text) || textOf(part.refusal)
    const annotations = listOf(part.annotations)
    const known = item.parts.get(index)
    if (known?.isClosed || (known === undefined && text === '' && annotations.length === 0)) return
    const block = partBlock(item, index, type)
    if (!block.hasText && text !== '') say(block, text)
    for (const annotation of annotations.slice(block.citations)) cite(block, annotation)
    addLogprobs(block, block.logprobs === 0 ? part.logprobs : undefined)
  }

  function say(block: Block, text: string): void {
    textLength += text.length
    lane.add(block, { type: 'delta', text })
  }

  function addLogprobs(block: Block, value: unknown): void {
    if (!Array.isArray(value) || value.length === 0) return
    const read = readLogprobs(value)
    if (read.length > 0) lane.add(block, { type: 'logprobs', items: read })
  }

  function cite(block: Block, annotation: unknown): void {
    const citation = readAnnotation(annotation)
    if (citation !== undefined) lane.add(block, { type: 'citation', citation })
    else {
      block.citations++
      omit(isObject(annotation) ? textOf(annotation.type) || 'annotation' : 'annotation')
    }
  }

  function think(item: Item, style: Style, part: number, text: string): void {
    if (text === '') return
    let thoughts = item.thoughts
    if (thoughts === undefined || thoughts.style !== style || thoughts.block.isClosed) {
      if (thoughts !== undefined) lane.close(thoughts.block)
      thoughts = { block: lane.begin({ type: 'reasoning', style }), style, part, seen: new Set() }
      item.thoughts = thoughts
      item.styles.add(style)
      given.add('reasoning')
    }
    if (thoughts.part !== part) lane.add(thoughts.block, { type: 'delta', text: '\n\n' })
    thoughts.part = part
    thoughts.seen.add(part)
    lane.add(thoughts.block, { type: 'delta', text })
  }

  function wholeThoughts(item: Item, wire: Json): void {
    for (const [style, parts] of [['summary', wire.summary] as const, ['full', wire.content] as const]) {
      if (item.styles.has(style)) continue
      for (const [index, part] of listOf(parts).entries()) {
        if (isObject(part)) think(item, style, index, textOf(part.text))
      }
    }
    const signature = textOf(wire.encrypted_content)
    if (signature === '') return
    given.add('reasoning')
    const block = item.thoughts?.block ?? lane.begin({ type: 'reasoning', style: 'summary' })
    lane.add(block, { type: 'signature', value: signature })
    lane.close(block)
  }

  function wholeCall(item: Item, wire: Json): void {
    if (item.call === undefined) beginCall(item, wire)
    else tellCall(wire)
    const text = readArguments(item.type === 'custom_tool_call' ? wire.input : wire.arguments)
    completeCall(item, text)
  }

  function completeCall({ call }: Item, text: string): void {
    if (call !== undefined && !call.isClosed && !call.hasText && text !== '') lane.add(call, { type: 'delta', text })
  }

  function takeWhole(index: number, wire: Json): void {
    const item = addItem(index, wire)
    if (item.isDone) return
    if (item.type === 'message') {
      for (const [at, part] of listOf(wire.content).entries()) {
        wholePart(item, at, part)
        if (isObject(part) && !PARTS.has(textOf(part.type))) omit(textOf(part.type) || 'part')
      }
    } else if (item.type === 'reasoning') wholeThoughts(item, wire)
    else if (isCall(item.type)) wholeCall(item, wire)
    else {
      const image = readImage(wire)
      given.add(`item ${item.type}`)
      item.isTold = image !== undefined
      if (image !== undefined) lane.close(lane.begin({ type: 'media', ...image }))
    }
    closeItem(item)
  }

  /** The last event repeats all items: those of a kind that never came are news, and messages beyond those that did. */
  function takeNews(output: readonly unknown[]): void {
    const before = new Set(given)
    let repeated = lengthOfText(output) > textLength ? messages : Number.POSITIVE_INFINITY
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
      given = new Set()
      messages = 0
      textLength = 0
      usage = undefined
      calls = openHostedCalls()
    },
    added(event) {
      const wire = event.item
      if (!isObject(wire)) return
      const index = typeof event.output_index === 'number' ? event.output_index : items.size
      const known = items.get(index)
      const isAnother = known !== undefined && known.callId !== textOf(wire.call_id)
      if (isAnother) closeItem(known)
      addItem(index, wire)
    },
    partDone(event) {
      const item = itemAt(event, isObject(event.part) && event.part.type === 'reasoning_text' ? 'reasoning' : 'message')
      const index = contentIndex(event)
      wholePart(item, index, event.part)
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
      const block = text === '' ? item.parts.get(contentIndex(event)) : partBlock(item, contentIndex(event), type)
      if (block === undefined || block.isClosed) return
      if (text !== '') say(block, text)
      addLogprobs(block, event.logprobs)
    },
    textDone(event, type) {
      const part = { type, text: event.text, refusal: event.refusal, logprobs: event.logprobs }
      wholePart(itemAt(event, 'message'), contentIndex(event), part)
    },
    annotation(event) {
      cite(partBlock(itemAt(event, 'message'), contentIndex(event), 'text'), event.annotation)
    },
    thought(event, style) {
      think(itemAt(event, 'reasoning'), style, thoughtIndex(event, style), textOf(event.delta))
    },
    thoughtDone(event, style) {
      const item = itemAt(event, 'reasoning')
      const index = thoughtIndex(event, style)
      const seen = item.thoughts?.style === style && item.thoughts.seen.has(index)
      if (!seen && !item.isDone) think(item, style, index, textOf(event.text))
    },
    callPiece(event) {
      const { call } = itemAt(event, 'function_call')
      const text = textOf(event.delta)
      if (call !== undefined && !call.isClosed && text !== '') lane.add(call, { type: 'delta', text })
    },
    callDone(event) {
      completeCall(itemAt(event, 'function_call'), readArguments(event.arguments ?? event.input))
    },
    finish(response) {
      start(response)
      takeNews(listOf(response.output))
      calls.replace(listOf(response.output))
      for (const item of items.values()) closeItem(item)
      lane.closeAll()
      isComplete = true
      this.usageOf(response)
      stop = readStop(response, { inCall, inRefusal })
    },
    usageOf(response) {
      const read = readUsage(response, calls)
      if (read === undefined) return
      usage = mergeUsage(usage, read)
      if (isComplete) return
      start(response)
      emit({ type: 'usage', usage })
    },
    endEarly() {
      if (!isComplete && given.size > 0) this.finish({ status: 'completed' })
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

const isCall = (type: string): boolean => type === 'function_call' || type === 'custom_tool_call'

const KINDS: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call'])

const PARTS: ReadonlySet<string> = new Set(['output_text', 'text', 'refusal'])
