// Events as the stream of a client: chunks that are whole answers in small, one line of data each and nothing else.
// A comment, an `event:` line or `[DONE]` would make the official clients lose the whole stream.

import type { OpenBlock, StreamEvent } from '../../../canonical/event.ts'
import type { Stop } from '../../../canonical/finish.ts'
import type { Citation } from '../../../canonical/request.ts'
import { mergeUsage, type Usage } from '../../../canonical/usage.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import { openArrayWriter } from '../../../framing/json/json-array.ts'
import type { ArrayFraming, ReplyContext, StreamEncoder } from '../../text-dialect.ts'
import type { WireCandidate, WirePart } from '../wire.ts'
import { type CitedText, encodeCitations } from './citations.ts'
import { callPart, encodePart, signatureOf } from './encode-part.ts'
import { encodeLogprobs } from './logprobs.ts'
import { finishFields } from './stop.ts'
import { encodeUsage } from './usage.ts'

/** Clients append its text, which is nothing. It has a part, or chats would forget the turn. */
export const heartbeat = 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"index":0}]}\n\n'

type OpenPart = {
  choice: number
  block: OpenBlock
  /** What stands around the text of a delta; undefined where no delta is to be seen. */
  frame: { before: string; after: string } | undefined
  /** Arguments of a call, which only go out whole. */
  pieces: string[]
  signature: string | undefined
  citations: Citation[]
  /** The text so far, to count places in its bytes. */
  text: string
  isAscii: boolean
  /** Where its text begins in the choice's, in bytes. */
  offset: number
}

/** What only the last chunk tells. */
type OpenChoice = {
  stop: Stop | undefined
  isRefused: boolean
  cited: CitedText[]
  searches: Extract<OpenBlock, { type: 'search' }>[]
  /** Bytes of text so far. */
  length: number
}

export function openStreamEncoder(answering: ReplyContext): StreamEncoder {
  const tail = `,"modelVersion":${JSON.stringify(answering.model)},"responseId":${JSON.stringify(answering.id)}}\n\n`
  const open = new Map<number, OpenPart>()
  const choices = new Map<number, OpenChoice>()
  let usage: Usage | undefined
  let bytes = 0

  const choiceAt = (index: number): OpenChoice => {
    const known = choices.get(index)
    if (known !== undefined) return known
    const fresh: OpenChoice = { stop: undefined, isRefused: false, cited: [], searches: [], length: 0 }
    choices.set(index, fresh)
    return fresh
  }

  const chunk = (candidate: WireCandidate): string => `data: {"candidates":[${JSON.stringify(candidate)}]${tail}`
  const partChunk = (choice: number, part: WirePart): string =>
    chunk({ content: { role: 'model', parts: [part] }, index: choice })

  function frameOf(choice: number, block: OpenBlock): OpenPart['frame'] {
    if (block.type !== 'text' && block.type !== 'refusal' && block.type !== 'reasoning') return undefined
    if (block.type === 'reasoning' && answering.hideReasoning) return undefined
    const mark = block.type === 'reasoning' ? ',"thought":true' : ''
    return {
      before: 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":',
      after: `${mark}}]},"index":${choice}}]${tail}`,
    }
  }

  function openPart(event: Extract<StreamEvent, { type: 'open' }>): string {
    const { index, choice, block } = event
    const state = choiceAt(choice)
    if (block.type === 'refusal') state.isRefused = true
    if (block.type === 'search') {
      state.searches.push(block)
      return ''
    }
    open.set(index, {
      choice,
      block,
      frame: frameOf(choice, block),
      pieces: [],
      signature: undefined,
      citations: [],
      text: '',
      isAscii: true,
      offset: state.length,
    })
    return ''
  }

  function delta(index: number, text: string): string {
    const part = open.get(index)
    if (part === undefined || text === '') return ''
    const length = utf8Length(text)
    bytes += length
    if (length !== text.length) part.isAscii = false
    if (part.block.type === 'text') part.text += text
    if (part.block.type === 'text' || part.block.type === 'refusal') choiceAt(part.choice).length += length
    if (part.block.type === 'call') part.pieces.push(text)
    return part.frame === undefined ? '' : part.frame.before + JSON.stringify(text) + part.frame.after
  }

  function closePart(index: number): string {
    const part = open.get(index)
    if (part === undefined) return ''
    open.delete(index)
    const { choice, block, signature, citations, text, isAscii, offset } = part
    if (citations.length > 0) {
      const { cited, length } = choiceAt(choice)
      cited.push({ part: 0, offset, bytes: length - offset, citations, text, isAscii })
    }
    const signed = signature === undefined ? {} : { signature }
    if (block.type === 'call')
      return partChunk(choice, callPart({ ...block, arguments: part.pieces.join(''), ...signed }, answering))
    if (block.type === 'media' || block.type === 'redacted') {
      const wire = encodePart(block.type === 'media' ? { ...block, ...signed } : block, answering)
      return wire === undefined ? '' : partChunk(choice, wire)
    }
    if (signature === undefined) return ''
    const thought = block.type === 'reasoning' ? { thought: true } : {}
    return partChunk(choice, { text: '', ...thought, ...signatureOf(signature, answering) })
  }

  /** The only chunk with reasons to end and figures. */
  function lastChunk(): string {
    choiceAt(0)
    const candidates = [...choices]
      .sort(([one], [other]) => one - other)
      .map(
        ([index, { stop, isRefused, cited, searches }]): WireCandidate => ({
          content: { role: 'model', parts: [{ text: '' }] },
          ...finishFields(stop, isRefused),
          index,
          ...encodeCitations(cited, searches),
        }),
      )
    const usageMetadata = encodeUsage(usage, () => answering.estimate(bytes))
    return `data: {"candidates":${JSON.stringify(candidates)},"usageMetadata":${JSON.stringify(usageMetadata)}${tail}`
  }

  return {
    write(event) {
      switch (event.type) {
        case 'delta':
          return delta(event.index, event.text)
        case 'open':
          return openPart(event)
        case 'close':
          return closePart(event.index)
        case 'signature': {
          const part = open.get(event.index)
          if (part !== undefined) part.signature = event.value
          return ''
        }
        case 'citation':
          open.get(event.index)?.citations.push(event.citation)
          return ''
        case 'logprobs': {
          const choice = open.get(event.index)?.choice ?? 0
          const content = { role: 'model', parts: [{ text: '' }] }
          return chunk({ content, index: choice, logprobsResult: encodeLogprobs(event.items) })
        }
        case 'start':
          usage = event.usage
          return ''
        case 'usage':
          usage = mergeUsage(usage, event.usage)
          return ''
        case 'stop':
          choiceAt(event.choice).stop = event.stop
          return ''
        case 'end':
          return lastChunk()
        default:
          return ''
      }
    },
    // Chunks are whole by themselves: nothing is open that would have to be closed.
    abandon: () => '',
  }
}

/** For clients that asked for one JSON array (`alt=json`): the same chunks without the events around them. */
export function arrayFraming(): ArrayFraming {
  const array = openArrayWriter()
  return {
    write(frames) {
      let elements = ''
      for (const frame of frames.split('\n\n'))
        if (frame !== '') elements += array.element(frame.slice('data: '.length))
      return elements
    },
    end: () => array.end(),
  }
}
