// Undoes, in the answer, what had to be done to the request: tool names that were changed, custom tools that went
// out as functions of one text, the limit of one call at a time that an upstream does not support, and a value that
// was requested inside an object.

import type { Emit } from '../event.ts'
import { isObject, parsedJson } from '../reading.ts'
import type { Block, CanonicalReply } from '../reply.ts'
import { openUnwrapper, type Unwrapper, unwrapped as unwrappedValue } from './object-format.ts'

export type SentTools = {
  /** What was sent -> what the caller knows. Only names that were changed. */
  changed: ReadonlyMap<string, string>
  /** Custom tools, by the caller's names, that were sent as functions with one property `input`. */
  wrapped: ReadonlySet<string>
  /** The target has no switch for it: only the first call of each choice is passed on. */
  firstCallOnly: boolean
  /**
   * Custom tools that the caller knows, by its names. A custom call of any other is a function call with one text to
   * it: most clients can read no other. Absent: calls are left as they came.
   */
  customs?: ReadonlySet<string>
  /** The caller asked for no web search: those that the upstream makes all the same are not shown as calls. */
  hidesSearches?: boolean
  /** The text of the answer is the value of an object's one property: see object-format.ts. */
  valueInObject?: true
}

export function restoreReply(reply: CanonicalReply, tools: SentTools): CanonicalReply {
  if (!isNeeded(tools) || !(tools.valueInObject || has(reply, 'call') || has(reply, 'search'))) return reply
  return {
    ...reply,
    choices: reply.choices.map(({ blocks, stop }) => {
      let calls = 0
      const kept = blocks.filter((block) => {
        if (block.type === 'search') return !tools.hidesSearches
        return block.type !== 'call' || !tools.firstCallOnly || calls++ === 0
      })
      return { blocks: kept.map((block) => restoreBlock(block, tools)), stop }
    }),
  }
}

const has = ({ choices }: CanonicalReply, wanted: Block['type']): boolean =>
  choices.some(({ blocks }) => blocks.some(({ type }) => type === wanted))

const isNeeded = ({ changed, wrapped, firstCallOnly, customs, valueInObject, hidesSearches }: SentTools): boolean =>
  changed.size > 0 ||
  wrapped.size > 0 ||
  firstCallOnly ||
  customs !== undefined ||
  valueInObject === true ||
  hidesSearches === true

/** What becomes of a call's text: it stays, or comes out of its wrapping, or gets one. */
type Change = 'none' | 'unwrap' | 'wrap'

function changeOf(name: string, custom: boolean, { wrapped, customs }: SentTools): Change {
  if (wrapped.has(name)) return 'unwrap'
  return custom && customs !== undefined && !customs.has(name) ? 'wrap' : 'none'
}

const changedText = (text: string, change: Change): string => {
  if (change === 'none') return text
  return change === 'unwrap' ? unwrapped(text) : JSON.stringify({ input: text })
}

function restoreBlock(block: Block, tools: SentTools): Block {
  if (block.type === 'text' && tools.valueInObject) return { ...block, text: unwrappedValue(block.text) }
  if (block.type !== 'call') return block
  const name = tools.changed.get(block.name) ?? block.name
  const change = changeOf(name, block.custom, tools)
  if (change === 'none') return { ...block, name }
  return { ...block, name, custom: change === 'unwrap', arguments: changedText(block.arguments, change) }
}

/** `{"input":"..."}` -> its text. A model that wrote something else is taken at its word. */
function unwrapped(text: string): string {
  const value = parsedJson(text)
  return isObject(value) && typeof value.input === 'string' ? value.input : text
}

/** The same for a stream. Arguments that change are kept until they are complete. */
export function restoringEmit(emit: Emit, tools: SentTools): Emit {
  if (!isNeeded(tools)) return emit
  const restoring = restoringCalls(emit, tools)
  return tools.valueInObject ? unwrappingText(restoring) : restoring
}

function unwrappingText(emit: Emit): Emit {
  const texts = new Map<number, Unwrapper>()
  return (event) => {
    if (event.type === 'open' && event.block.type === 'text') texts.set(event.index, openUnwrapper())
    const unwrapper = 'index' in event ? texts.get(event.index) : undefined
    if (unwrapper === undefined || (event.type !== 'delta' && event.type !== 'close')) return emit(event)
    const text = event.type === 'delta' ? unwrapper.push(event.text) : unwrapper.end()
    if (text !== '') emit({ type: 'delta', index: event.index, text })
    if (event.type === 'close') emit(event)
  }
}

function restoringCalls(emit: Emit, tools: SentTools): Emit {
  const changing = new Map<number, { change: Change; pieces: string[] }>()
  const dropped = new Set<number>()
  const called = new Set<number>()
  /** Dropped blocks leave no gap in the numbers. */
  const indexOf = new Map<number, number>()
  let next = 0
  return (event) => {
    if (event.type === 'open') {
      const { block, choice, index } = event
      const isCall = block.type === 'call'
      const isHidden = block.type === 'search' && tools.hidesSearches
      if (isHidden || (isCall && tools.firstCallOnly && called.has(choice))) {
        dropped.add(index)
        return
      }
      indexOf.set(index, next++)
      if (!isCall) emit({ ...event, index: indexOf.get(index) ?? index })
      else {
        called.add(choice)
        const name = tools.changed.get(block.name) ?? block.name
        const change = changeOf(name, block.custom, tools)
        if (change !== 'none') changing.set(index, { change, pieces: [] })
        emit({
          ...event,
          index: indexOf.get(index) ?? index,
          block: { ...block, name, custom: change === 'none' ? block.custom : change === 'unwrap' },
        })
      }
      return
    }
    // Most events are these: nothing is kept back, and numbers only change where blocks are dropped.
    if (!('index' in event) || (changing.size === 0 && dropped.size === 0)) {
      emit(event)
      return
    }
    if (dropped.has(event.index)) return
    const index = indexOf.get(event.index) ?? event.index
    const kept = changing.get(event.index)
    if (kept !== undefined && event.type === 'delta') {
      kept.pieces.push(event.text)
      return
    }
    if (kept !== undefined && event.type === 'close') {
      changing.delete(event.index)
      const text = changedText(kept.pieces.join(''), kept.change)
      if (text !== '') emit({ type: 'delta', index, text })
    }
    emit({ ...event, index })
  }
}
