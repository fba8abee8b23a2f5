// What an item of an answer says, as canonical events: the pieces of a stream, and what an event that repeats the whole of it
// has beyond those. Which item an event speaks of is for answer-reader.ts.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Block, BlockQueue } from './block-queue.ts'
import {
  decodeAnnotation,
  decodeArguments,
  decodeImage,
  decodeLogprobs,
  decodeSearch,
  idsOfCall,
  listOf,
  textOf,
} from './decode-details.ts'

export type Style = 'summary' | 'full'

type OpenReasoning = { block: Block; style: Style; part: number; seen: Set<number>; text: string }

export type Item = {
  type: string
  callId: string
  isDone: boolean
  /** That it was dropped has been said, or there is nothing to say. */
  isTold: boolean
  /** The parts of a message, by content index. */
  parts: Map<number, Block>
  reasoning: OpenReasoning | undefined
  styles: Set<Style>
  call: Block | undefined
}

/** What has been said so far. */
export type Said = {
  /** In the present answer: kinds of items, and ids of calls. */
  given: Set<string>
  /** How many messages of the present answer have come, and how much text: its last event may hold more of both. */
  messages: number
  textLength: number
  inCall: boolean
  inRefusal: boolean
}

/** What it is given: the beginning of the answer, what is dropped of it, and ids for calls. */
type Surroundings = { start(): void; omit(what: string): void; idOfCall(id: string): string }

export type ItemDecoder = {
  readonly said: Said
  beginCall(item: Item, wire: Json): void
  closeItem(item: Item): void
  /** The open block of a part of a message. */
  partBlock(item: Item, index: number, type: 'text' | 'refusal'): Block
  /** A part as an event repeats it whole: whatever has not come yet. */
  wholePart(item: Item, index: number, part: unknown): void
  say(block: Block, text: string): void
  addLogprobs(block: Block, value: unknown): void
  cite(block: Block, annotation: unknown): void
  think(item: Item, style: Style, part: number, text: string): void
  /** The arguments of a call, unless they have come. */
  completeCall(item: Item, text: string): void
  /** An item as an event repeats it whole; it is closed then. */
  whole(item: Item, wire: Json): void
}

export function openItemDecoder(lane: BlockQueue, { start, omit, idOfCall }: Surroundings): ItemDecoder {
  const said: Said = { given: new Set(), messages: 0, textLength: 0, inCall: false, inRefusal: false }

  function beginCall(item: Item, wire: Json): void {
    const [id = ''] = idsOfCall(wire)
    tellCall(wire)
    said.inCall = true
    const custom = item.type === 'custom_tool_call'
    start()
    item.call = lane.begin({ type: 'call', id: idOfCall(id), name: textOf(wire.name), custom })
  }

  /** By both of its ids: some services leave out one of them in one event, and the other in the next. */
  function tellCall(wire: Json): void {
    for (const id of idsOfCall(wire)) said.given.add(`call ${id}`)
  }

  function closeItem(item: Item): void {
    if (item.isDone) return
    item.isDone = true
    for (const block of item.parts.values()) lane.close(block)
    if (item.reasoning !== undefined) lane.close(item.reasoning.block)
    if (item.call !== undefined) lane.close(item.call)
    if (!item.isTold) omit(item.type)
  }

  function partBlock(item: Item, index: number, type: 'text' | 'refusal'): Block {
    const known = item.parts.get(index)
    if (known !== undefined && !known.isClosed) return known
    said.given.add('message')
    if (item.parts.size === 0) said.messages++
    if (type === 'refusal') said.inRefusal = true
    const block = lane.begin({ type })
    item.parts.set(index, block)
    return block
  }

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
    said.textLength += text.length
    lane.add(block, { type: 'delta', text })
  }

  function addLogprobs(block: Block, value: unknown): void {
    if (!Array.isArray(value) || value.length === 0) return
    const read = decodeLogprobs(value)
    if (read.length > 0) lane.add(block, { type: 'logprobs', items: read })
  }

  function cite(block: Block, annotation: unknown): void {
    const citation = decodeAnnotation(annotation)
    if (citation !== undefined) lane.add(block, { type: 'citation', citation })
    else {
      block.citations++
      omit(isObject(annotation) ? textOf(annotation.type) || 'annotation' : 'annotation')
    }
  }

  function think(item: Item, style: Style, part: number, text: string): void {
    if (text === '') return
    let reasoning = item.reasoning
    // Some services, this gateway among them, give reasoning in full a second time as its summary.
    if (reasoning !== undefined && reasoning.style !== style && reasoning.text === text) return
    if (reasoning === undefined || reasoning.style !== style || reasoning.block.isClosed) {
      if (reasoning !== undefined) lane.close(reasoning.block)
      reasoning = { block: lane.begin({ type: 'reasoning', style }), style, part, seen: new Set(), text: '' }
      item.reasoning = reasoning
      item.styles.add(style)
      said.given.add('reasoning')
    }
    if (reasoning.part !== part) lane.add(reasoning.block, { type: 'delta', text: '\n\n' })
    reasoning.part = part
    reasoning.seen.add(part)
    reasoning.text += text
    lane.add(reasoning.block, { type: 'delta', text })
  }

  function wholeReasoning(item: Item, wire: Json): void {
    for (const [style, parts] of [['summary', wire.summary] as const, ['full', wire.content] as const]) {
      if (item.styles.has(style)) continue
      for (const [index, part] of listOf(parts).entries()) {
        if (isObject(part)) think(item, style, index, textOf(part.text))
      }
    }
    const signature = textOf(wire.encrypted_content)
    if (signature === '') return
    said.given.add('reasoning')
    const block = item.reasoning?.block ?? lane.begin({ type: 'reasoning', style: 'summary' })
    lane.add(block, { type: 'signature', value: signature })
    lane.close(block)
  }

  function wholeCall(item: Item, wire: Json): void {
    if (item.call === undefined) beginCall(item, wire)
    else tellCall(wire)
    const text = decodeArguments(item.type === 'custom_tool_call' ? wire.input : wire.arguments)
    completeCall(item, text)
  }

  function completeCall({ call }: Item, text: string): void {
    if (call !== undefined && !call.isClosed && !call.hasText && text !== '') lane.add(call, { type: 'delta', text })
  }

  /** Looking at a page that was found is no search of its own. */
  function wholeSearch(item: Item, wire: Json): void {
    said.given.add(`item ${item.type}`)
    item.isTold = true
    const search = decodeSearch(wire)
    if (search !== undefined) lane.close(lane.begin({ type: 'search', ...search }))
  }

  function whole(item: Item, wire: Json): void {
    if (item.type === 'message') {
      for (const [at, part] of listOf(wire.content).entries()) {
        wholePart(item, at, part)
        if (isObject(part) && !PARTS.has(textOf(part.type))) omit(textOf(part.type) || 'part')
      }
    } else if (item.type === 'reasoning') wholeReasoning(item, wire)
    else if (isCall(item.type)) wholeCall(item, wire)
    else if (item.type === 'web_search_call') wholeSearch(item, wire)
    else {
      const image = decodeImage(wire)
      said.given.add(`item ${item.type}`)
      item.isTold = image !== undefined
      if (image !== undefined) lane.close(lane.begin({ type: 'media', ...image }))
    }
    closeItem(item)
  }

  return { said, beginCall, closeItem, partBlock, wholePart, say, addLogprobs, cite, think, completeCall, whole }
}

export const isCall = (type: string): boolean => type === 'function_call' || type === 'custom_tool_call'

/** Those that have something to say here. */
export const KINDS: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call'])

const PARTS: ReadonlySet<string> = new Set(['output_text', 'text', 'refusal'])
