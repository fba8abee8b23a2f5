// A whole answer in canonical terms, and the same answer as events.

import type { Logprob, StreamEvent } from './event.ts'
import type { Stop } from './finish.ts'
import type { Citation, SearchResult } from './request.ts'
import type { Usage } from './usage.ts'
import { utf8Length } from './utf8.ts'

export type TextBlock = {
  type: 'text'
  text: string
  citations: readonly Citation[]
  logprobs?: readonly Logprob[]
  signature?: string
}
/** `style`: see ReasoningPart. A signature without text is worth keeping: its vendor wants it back. */
export type ReasoningBlock = { type: 'reasoning'; text: string; style: 'summary' | 'full'; signature?: string }
export type RedactedBlock = { type: 'redacted'; data: string }
export type RefusalBlock = { type: 'refusal'; text: string }
export type CallBlock = {
  type: 'call'
  id: string
  name: string
  /** The text as it came, whether it parses or not. Empty when the model gave none. */
  arguments: string
  custom: boolean
  signature?: string
}
/** An image that the model made. Standard base64. */
export type MediaBlock = { type: 'media'; mime: string; data: string; signature?: string; made?: MadeImage }
/** What is known of an image besides its data. `failed`: there is none, and `data` is empty. */
export type MadeImage = {
  failed?: true
  action?: 'generate' | 'edit'
  revisedPrompt?: string
  size?: string
  quality?: string
  background?: string
  outputFormat?: string
}

/** A web search that the upstream made. Services that do not tell the queries have none, and those that do not list pages no results. */
export type SearchBlock = {
  type: 'search'
  queries: readonly string[]
  results: readonly SearchResult[]
  failed?: true
}

export type Block = TextBlock | ReasoningBlock | RedactedBlock | RefusalBlock | CallBlock | MediaBlock | SearchBlock

export type Choice = {
  blocks: readonly Block[]
  /** Undefined: the upstream did not say why it ended. */
  stop: Stop | undefined
}

export type CanonicalReply = {
  /** The upstream's own id of the answer. */
  id: string | undefined
  choices: readonly Choice[]
  usage: Usage | undefined
  /** What no other dialect can express and was dropped, such as the items of a hosted tool. */
  omitted: readonly string[]
}

/** Bytes of text, reasoning, refusals and arguments: what is counted where an upstream reports no usage. */
export function outputBytesOf({ choices }: Pick<CanonicalReply, 'choices'>): number {
  let bytes = 0
  for (const { blocks } of choices) {
    for (const block of blocks) {
      if (block.type === 'call') bytes += utf8Length(block.arguments)
      else if ('text' in block) bytes += utf8Length(block.text)
    }
  }
  return bytes
}

/** The same where usage has to be estimated by it; long answers are not read through for nothing. */
export function bytesToEstimate(reply: CanonicalReply): number {
  const isKnown = reply.usage?.input !== undefined && reply.usage.output !== undefined
  return isKnown ? 0 : outputBytesOf(reply)
}

type Growing = { [Field in keyof TextBlock]?: TextBlock[Field] } & { index: number; choice: number; block: Block }

/** Puts a finished stream together. The opposite of `unfold`. */
export function fold(events: Iterable<StreamEvent>): CanonicalReply {
  const open = new Map<number, Growing>()
  const choices: { blocks: Block[]; stop: Stop | undefined }[] = []
  const omitted: string[] = []
  let id: string | undefined
  let usage: Usage | undefined
  const choiceAt = (index: number) => {
    while (choices.length <= index) choices.push({ blocks: [], stop: undefined })
    return choices[index] as { blocks: Block[]; stop: Stop | undefined }
  }
  for (const event of events) {
    switch (event.type) {
      case 'start':
        id = event.id
        choiceAt(0)
        break
      case 'open': {
        const block = emptyBlock(event)
        choiceAt(event.choice).blocks.push(block)
        open.set(event.index, { index: event.index, choice: event.choice, block })
        break
      }
      case 'delta':
        append(open.get(event.index)?.block, event.text)
        break
      case 'signature':
        assign(open.get(event.index)?.block, { signature: event.value })
        break
      case 'citation':
        addTo(open.get(event.index)?.block, 'citations', [event.citation])
        break
      case 'logprobs':
        addTo(open.get(event.index)?.block, 'logprobs', event.items)
        break
      case 'close':
        open.delete(event.index)
        break
      case 'usage':
        usage = event.usage
        break
      case 'stop':
        choiceAt(event.choice).stop = event.stop
        break
      case 'omitted':
        omitted.push(event.what)
        break
      default:
        break
    }
  }
  return { id, choices, usage, omitted }
}

function emptyBlock(event: Extract<StreamEvent, { type: 'open' }>): Block {
  const { block } = event
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '', citations: [] }
    case 'call':
      return { ...block, arguments: '' }
    case 'reasoning':
      return { ...block, text: '' }
    case 'refusal':
      return { type: 'refusal', text: '' }
    default:
      return block
  }
}

function append(block: Block | undefined, text: string): void {
  if (block === undefined) return
  if (block.type === 'call') block.arguments += text
  else if ('text' in block) block.text += text
}

function assign(block: Block | undefined, more: object): void {
  if (block !== undefined) Object.assign(block, more)
}

function addTo(block: Block | undefined, field: 'citations' | 'logprobs', items: readonly unknown[]): void {
  if (block?.type === 'text') Object.assign(block, { [field]: [...(block[field] ?? []), ...items] })
}

/** A whole answer as the events of a stream that carries it in the fewest pieces. */
export function unfold(reply: CanonicalReply): StreamEvent[] {
  const events: StreamEvent[] = [{ type: 'start', id: reply.id, usage: undefined }]
  let index = 0
  for (let choice = 0; choice < reply.choices.length; choice++) {
    for (const block of reply.choices[choice]?.blocks ?? []) addEvents(events, block, index++, choice)
  }
  for (const what of reply.omitted) events.push({ type: 'omitted', what })
  if (reply.usage !== undefined) events.push({ type: 'usage', usage: reply.usage })
  for (let choice = 0; choice < reply.choices.length; choice++) {
    const stop = reply.choices[choice]?.stop
    if (stop !== undefined) events.push({ type: 'stop', choice, stop })
  }
  events.push({ type: 'end' })
  return events
}

/** The events of one block, as if it were all of the answer. */
export function unfoldBlock(block: Block): StreamEvent[] {
  const events: StreamEvent[] = []
  addEvents(events, block, 0, 0)
  return events
}

function addEvents(events: StreamEvent[], block: Block, index: number, choice: number): void {
  switch (block.type) {
    case 'text':
      events.push({ type: 'open', index, choice, block: { type: 'text' } })
      if (block.text !== '') events.push({ type: 'delta', index, text: block.text })
      for (const citation of block.citations) events.push({ type: 'citation', index, citation })
      if (block.logprobs !== undefined) events.push({ type: 'logprobs', index, items: block.logprobs })
      break
    case 'call': {
      const { id, name, custom } = block
      events.push({ type: 'open', index, choice, block: { type: 'call', id, name, custom } })
      if (block.signature !== undefined) events.push({ type: 'signature', index, value: block.signature })
      if (block.arguments !== '') events.push({ type: 'delta', index, text: block.arguments })
      break
    }
    case 'reasoning':
      events.push({ type: 'open', index, choice, block: { type: 'reasoning', style: block.style } })
      if (block.text !== '') events.push({ type: 'delta', index, text: block.text })
      break
    case 'refusal':
      events.push({ type: 'open', index, choice, block: { type: 'refusal' } })
      if (block.text !== '') events.push({ type: 'delta', index, text: block.text })
      break
    case 'redacted':
      events.push({ type: 'open', index, choice, block: { type: 'redacted', data: block.data } })
      break
    case 'media':
      events.push({ type: 'open', index, choice, block: { type: 'media', mime: block.mime, data: block.data } })
      break
    case 'search':
      events.push({ type: 'open', index, choice, block })
      break
  }
  if (block.type !== 'call' && 'signature' in block && block.signature !== undefined) {
    events.push({ type: 'signature', index, value: block.signature })
  }
  events.push({ type: 'close', index })
}
