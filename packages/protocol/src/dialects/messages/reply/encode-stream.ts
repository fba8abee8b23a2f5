// A streamed answer for a client of this dialect. Its SDKs address blocks by their place and look at the last one:
// indexes count up without gaps, and no block is begun before the last one has ended.

import type { OpenBlock, StreamEvent } from '../../../canonical/event.ts'
import type { Stop } from '../../../canonical/finish.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { ReplyContext, StreamEncoder } from '../../text-dialect.ts'
import { UNSIGNED } from '../request/encode-reasoning.ts'
import { encodeCitation } from './citations.ts'
import { emptyMessage } from './encode-reply.ts'
import { encodeSearch } from './searches.ts'
import { encodeStop } from './stop.ts'
import { encodeUsage } from './usage.ts'

/** Legal at any place of a stream, also before its first event: SDKs skip it by name. */
export const heartbeat = 'event: ping\ndata: {"type":"ping"}\n\n'

type ShownBlock = Exclude<OpenBlock, { type: 'media' | 'search' }>

/** The block that is being written: what stands around each of its deltas. */
type Writing = {
  index: number
  block: ShownBlock
  /** Not begun on the wire yet. Blocks that stay empty never are, but for calls: the vendor rejects them when they are sent back. */
  begin: string
  beforeText: string
  afterText: string
  /** Custom tools' free text goes out as the one string of an object. */
  wrapped: boolean
  /** Reasoning that the client does not want to see. */
  hidden: boolean
  /** As JSON; written once, just before the block ends, because each one replaces the last. */
  signature: string
}

export function openStreamEncoder(answering: ReplyContext): StreamEncoder {
  let writing: Writing | undefined
  /** The index, in the canonical stream, of the block that is being written. */
  let current = -1
  let nextIndex = 0
  let outputBytes = 0
  let usage: Usage | undefined
  let stop: Stop | undefined
  const seen = { refused: false, called: false }

  function open({ index, choice, block }: Extract<StreamEvent, { type: 'open' }>): string {
    // There is no way to ask for more than one choice in this dialect.
    if (choice !== 0) return ''
    current = index
    seen.refused ||= block.type === 'refusal'
    seen.called ||= block.type === 'call'
    if (block.type === 'media' || block.type === 'search') {
      writing = undefined
      return block.type === 'search' ? search(block) : ''
    }
    writing = writingOf(block)
    return block.type === 'redacted' ? begin(writing) : ''
  }

  /** The query comes as the input of a call, and the pages with the beginning of their block. */
  function search(found: Extract<OpenBlock, { type: 'search' }>): string {
    let frames = ''
    for (const block of encodeSearch(found, nextIndex, answering)) {
      const index = `"index":${nextIndex++}`
      const isCall = block.type === 'server_tool_use'
      const begun = isCall ? { ...block, input: {} } : block
      frames += frame('content_block_start', `${index},"content_block":${JSON.stringify(begun)}`)
      if (isCall) {
        const json = JSON.stringify(JSON.stringify(block.input))
        frames += frame('content_block_delta', `${index},"delta":${DELTAS.call}${json}}`)
      }
      frames += frame('content_block_stop', index)
    }
    return frames
  }

  function writingOf(block: ShownBlock): Writing {
    const content = emptyBlock(block, answering)
    const deltaType = DELTAS[block.type]
    return {
      index: nextIndex,
      block,
      begin: frame('content_block_start', `"index":${nextIndex},"content_block":${JSON.stringify(content)}`),
      beforeText: `event: content_block_delta\ndata: {"type":"content_block_delta","index":${nextIndex},"delta":${deltaType}`,
      afterText: '}}\n\n',
      wrapped: block.type === 'call' && block.custom,
      hidden: block.type === 'reasoning' && answering.hideReasoning,
      signature: '',
    }
  }

  function begin(block: Writing): string {
    const { begin } = block
    if (begin === '') return ''
    block.begin = ''
    nextIndex++
    return block.wrapped ? begin + delta(block, JSON.stringify('{"input":"')) : begin
  }

  function sign(block: Writing, value: string): string {
    const signature = JSON.stringify(answering.seal(value))
    if (block.block.type === 'reasoning') block.signature = signature
    if (block.block.type !== 'call' || block.begin === '') return ''
    // A call has no place for it: it comes back in reasoning that stands before the call.
    const carrier = { ...writingOf({ type: 'reasoning', style: 'summary' }), signature }
    const frames = closed(carrier)
    writing = writingOf(block.block)
    return frames
  }

  const delta = (block: Writing, json: string): string => block.beforeText + json + block.afterText

  function text(index: number, piece: string): string {
    outputBytes += utf8Length(piece)
    if (index !== current || writing === undefined || writing.hidden || piece === '') return ''
    // Without the quotes of the string inside the string: escapes are escaped once more.
    const json = writing.wrapped ? JSON.stringify(JSON.stringify(piece).slice(1, -1)) : JSON.stringify(piece)
    return begin(writing) + delta(writing, json)
  }

  function special(block: Writing, json: string): string {
    return begin(block) + frame('content_block_delta', `"index":${block.index},"delta":${json}`)
  }

  function close(): string {
    const block = writing
    writing = undefined
    return block === undefined ? '' : closed(block)
  }

  function closed(block: Writing): string {
    const { signature } = block
    const { type } = block.block
    const begun = type === 'call' ? begin(block) : ''
    const isUnsigned = signature === '' && type === 'reasoning' && block.begin === ''
    const value = isUnsigned ? JSON.stringify(answering.seal(UNSIGNED)) : signature
    const signed = value === '' ? '' : special(block, `{"type":"signature_delta","signature":${value}}`)
    if (block.begin !== '') return ''
    const wrapEnd = block.wrapped ? delta(block, JSON.stringify('"}')) : ''
    return begun + signed + wrapEnd + frame('content_block_stop', `"index":${block.index}`)
  }

  function startMessage(known: Usage | undefined): string {
    // One token of output, as the vendor says it; without the input's, agents think that their context is empty.
    const { output_tokens_details: _, ...start } = encodeUsage(known, 0, answering.estimate)
    const first = { ...start, output_tokens: 1 }
    return frame('message_start', `"message":${JSON.stringify({ ...emptyMessage(answering), usage: first })}`)
  }

  function endMessage(): string {
    const { stop_reason, stop_sequence, stop_details } = encodeStop(stop, seen)
    const final = encodeUsage(usage, outputBytes, answering.estimate)
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = final
    const ending = {
      delta: { stop_reason, stop_sequence, stop_details },
      usage: {
        input_tokens,
        cache_creation_input_tokens,
        cache_read_input_tokens,
        output_tokens,
        output_tokens_details: final.output_tokens_details,
        server_tool_use: final.server_tool_use,
      },
    }
    return frame('message_delta', JSON.stringify(ending).slice(1, -1)) + MESSAGE_STOP
  }

  function write(event: StreamEvent): string {
    switch (event.type) {
      case 'delta':
        return text(event.index, event.text)
      case 'start':
        return startMessage(event.usage)
      case 'open':
        return open(event)
      case 'signature':
        return writing === undefined || event.index !== current ? '' : sign(writing, event.value)
      case 'citation': {
        const isText = event.index === current && writing?.block.type === 'text'
        const citation = isText ? encodeCitation(event.citation, answering.seal) : undefined
        if (writing === undefined || citation === undefined) return ''
        return special(writing, `{"type":"citations_delta","citation":${JSON.stringify(citation)}}`)
      }
      case 'close':
        return event.index === current ? close() : ''
      case 'usage':
        usage = event.usage
        return ''
      case 'stop':
        if (event.choice === 0) stop = event.stop
        return ''
      case 'end':
        return endMessage()
      default:
        return ''
    }
  }

  return {
    write,
    // An error event may follow anything: clients of this dialect expect no block to be closed before it.
    abandon: () => '',
  }
}

const frame = (type: string, members: string): string =>
  `event: ${type}\ndata: {"type":"${type}"${members === '' ? '' : ','}${members}}\n\n`

const MESSAGE_STOP = frame('message_stop', '')

/** How the delta of a block begins, up to its text. */
const DELTAS: Readonly<Record<OpenBlock['type'], string>> = {
  text: '{"type":"text_delta","text":',
  refusal: '{"type":"text_delta","text":',
  reasoning: '{"type":"thinking_delta","thinking":',
  call: '{"type":"input_json_delta","partial_json":',
  redacted: '',
  media: '',
  search: '',
}

function emptyBlock(block: ShownBlock, { seal }: ReplyContext): Record<string, unknown> {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: '' }
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'redacted':
      return { type: 'redacted_thinking', data: seal(block.data) }
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: {}, caller: { type: 'direct' } }
  }
}
