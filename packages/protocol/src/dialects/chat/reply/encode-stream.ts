// Canonical events as the chunks of a chat stream. What is the same in every chunk is written once per stream.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { OpenBlock, StreamEvent } from '../../../canonical/event.ts'
import type { Citation } from '../../../canonical/request.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { ReplyContext, StreamEncoder } from '../../text-dialect.ts'
import { LEGACY } from '../request/decode-request.ts'
import type { WrittenAnnotation } from '../wire.ts'
import { encodeCitation, encodeLogprob } from './citations.ts'
import { imageOf, NO_ARGUMENTS } from './encode-reply.ts'
import { wordOf } from './stop.ts'
import { encodeTier, encodeUsage } from './usage.ts'

/** A comment, which every client skips. */
export const heartbeat = ': keep-alive\n\n'

/** One choice: what its chunks begin with, and what its last ones depend on. */
type ChoiceState = {
  head: string
  calls: number
  /** Characters of text so far. */
  length: number
  annotations: WrittenAnnotation[]
  isFinished: boolean
}

type BlockState = {
  choice: ChoiceState
  /** Up to the text of a delta. */
  before: string
  after: string
  isShown: boolean
  /** The position of a call among those of its choice; below 0 for others. */
  call: number
  custom: boolean
  isText: boolean
  /** Where its text begins in the choice's. */
  offset: number
  isEmpty: boolean
  citations: Citation[]
}

export function openStreamEncoder(answering: ReplyContext): StreamEncoder {
  const { showUsage } = answering
  const isLegacy = answering.echo[LEGACY] === true
  const facts = {
    id: `chatcmpl-${answering.id}`,
    object: 'chat.completion.chunk',
    created: answering.created,
    model: answering.model,
  }
  const shared = `data: ${JSON.stringify(facts).slice(0, -1)},"choices":[`
  const end = `${showUsage ? '],"usage":null' : ']'}}\n\n`
  const running = `,"logprobs":null,"finish_reason":null}${end}`
  const choices = new Map<number, ChoiceState>()
  const blocks = new Map<number, BlockState>()
  let usage: Usage | undefined
  let outputBytes = 0

  const chunk = (choice: ChoiceState, delta: object): string => `${choice.head}${JSON.stringify(delta)}${running}`

  /** The choice, and the chunk that must come before anything else of it. */
  function begun(index: number): { choice: ChoiceState; frames: string } {
    const known = choices.get(index)
    if (known !== undefined) return { choice: known, frames: '' }
    const choice: ChoiceState = {
      head: `${shared}{"index":${index},"delta":`,
      calls: 0,
      length: 0,
      annotations: [],
      isFinished: false,
    }
    choices.set(index, choice)
    return { choice, frames: chunk(choice, { role: 'assistant', content: '', refusal: null }) }
  }

  function open(index: number, choiceIndex: number, block: OpenBlock): string {
    const { choice, frames } = begun(choiceIndex)
    const state: BlockState = {
      choice,
      before: `${choice.head}{"${FIELDS[block.type]}":`,
      after: `}${running}`,
      isShown: block.type !== 'reasoning' || !answering.hideReasoning,
      call: -1,
      custom: false,
      isText: block.type === 'text',
      offset: choice.length,
      isEmpty: true,
      citations: [],
    }
    blocks.set(index, state)
    if (block.type === 'media') return frames + chunk(choice, { images: [imageOf(block)] })
    return block.type === 'call' ? frames + openCall(state, block) : frames
  }

  function openCall(state: BlockState, { id, name, custom }: Extract<OpenBlock, { type: 'call' }>): string {
    const { choice } = state
    const index = choice.calls++
    state.call = index
    state.custom = custom
    if (isLegacy) {
      state.isShown = index === 0
      state.before = `${choice.head}{"function_call":{"arguments":`
      state.after = `}}${running}`
      return state.isShown ? chunk(choice, { function_call: { name, arguments: '' } }) : ''
    }
    const field = custom ? '"custom":{"input":' : '"function":{"arguments":'
    state.before = `${choice.head}{"tool_calls":[{"index":${index},${field}`
    state.after = `}}]}${running}`
    const begun = custom
      ? { index, id, type: 'custom', custom: { name, input: '' } }
      : { index, id, type: 'function', function: { name, arguments: '' } }
    return chunk(choice, { tool_calls: [begun] })
  }

  function delta(index: number, text: string): string {
    const state = blocks.get(index)
    if (state === undefined) return ''
    // Counted only where the figure may be shown; the ledger's count is its own.
    if (showUsage && usage?.output === undefined) outputBytes += utf8Length(text)
    state.isEmpty = false
    if (state.isText) state.choice.length += text.length
    return state.isShown ? `${state.before}${JSON.stringify(text)}${state.after}` : ''
  }

  function signature(index: number, value: string): string {
    const state = blocks.get(index)
    // Only calls have a place for it in this dialect.
    if (state === undefined || state.call < 0 || isLegacy) return ''
    const extra_content = { google: { thought_signature: answering.seal(value) } }
    const piece = state.custom ? { custom: { input: '' } } : { function: { arguments: '' } }
    return chunk(state.choice, { tool_calls: [{ index: state.call, ...piece, extra_content }] })
  }

  function close(index: number): string {
    const state = blocks.get(index)
    if (state === undefined) return ''
    blocks.delete(index)
    const { choice, citations, offset } = state
    const length = choice.length - offset
    choice.annotations.push(...citations.flatMap((citation) => encodeCitation(citation, offset, length) ?? []))
    const lacksArguments = state.call >= 0 && state.isEmpty && state.isShown && !state.custom
    return lacksArguments ? `${state.before}${JSON.stringify(NO_ARGUMENTS)}${state.after}` : ''
  }

  /** Clients that collect deltas keep the last list of annotations that they see, so there is only one. */
  function finish(choice: ChoiceState, word: string): string {
    choice.isFinished = true
    const { annotations } = choice
    const cited = annotations.length === 0 ? '' : chunk(choice, { annotations })
    return `${cited}${choice.head}{},"logprobs":null,"finish_reason":"${word}"}${end}`
  }

  function finishAll(): string {
    let frames = begun(0).frames
    for (const choice of choices.values()) {
      if (!choice.isFinished) frames += finish(choice, wordOf(undefined, choice.calls > 0, isLegacy))
    }
    if (showUsage) {
      const tier = encodeTier(usage)
      const figures = encodeUsage(usage, outputBytes, answering)
      const last = tier === undefined ? { usage: figures } : { usage: figures, service_tier: tier }
      frames += `${shared}],${JSON.stringify(last).slice(1)}\n\n`
    }
    return `${frames}data: [DONE]\n\n`
  }

  function write(event: StreamEvent): string {
    switch (event.type) {
      case 'delta':
        return delta(event.index, event.text)
      case 'start':
        usage = event.usage
        return begun(0).frames
      case 'open':
        return open(event.index, event.choice, event.block)
      case 'signature':
        return signature(event.index, event.value)
      case 'citation':
        blocks.get(event.index)?.citations.push(event.citation)
        return ''
      case 'logprobs': {
        const choice = blocks.get(event.index)?.choice
        if (choice === undefined) return ''
        const logprobs = { content: event.items.map(encodeLogprob), refusal: null }
        return `${choice.head}{},"logprobs":${JSON.stringify(logprobs)},"finish_reason":null}${end}`
      }
      case 'close':
        return close(event.index)
      case 'usage':
        usage = event.usage
        return ''
      case 'stop': {
        const { choice, frames } = begun(event.choice)
        return frames + finish(choice, wordOf(event.stop, choice.calls > 0, isLegacy))
      }
      case 'end':
        return finishAll()
      default:
        return ''
    }
  }

  // An error needs nothing before it here: its event, and no [DONE], is how this dialect's streams fail.
  return { write, abandon: (_error: ErrorInfo) => '' }
}

const FIELDS: Record<OpenBlock['type'], string> = {
  text: 'content',
  reasoning: 'reasoning_content',
  refusal: 'refusal',
  call: 'tool_calls',
  redacted: '',
  media: 'images',
  search: '',
}
