// The blocks of one choice, in order. Calls may come interleaved, and nothing says that one has ended: the first block
// of the line is passed on as it comes, and those behind it wait until it is complete or the stream ends.

import { missingCallId, openCallIds } from '../../../canonical/encoding/call-ids.ts'
import type { Emit, Logprob, OpenBlock } from '../../../canonical/event.ts'
import type { Json } from '../../../canonical/reading.ts'
import type { MediaBlock } from '../../../canonical/reply.ts'
import type { Citation } from '../../../canonical/request.ts'
import { signatureOf } from '../request/decode-turns.ts'
import { searchFor } from './citations.ts'
import { calledOf } from './decode-reply.ts'
import { follow, type JsonProgress, newProgress } from './json-progress.ts'
import { finishWord, stopOf } from './stop.ts'

/** What waits to be emitted until its block is open. */
type Held =
  | { type: 'delta'; text: string }
  | { type: 'signature'; value: string }
  | { type: 'citation'; citation: Citation }
  | { type: 'logprobs'; items: readonly Logprob[] }

type Line = {
  kind: OpenBlock['type']
  /** Below 0: not open yet. */
  index: number
  isClosed: boolean
  held: Held[]
  media: MediaBlock | undefined
  call: CallFacts | undefined
}

type CallFacts = {
  /** The number that the service gave it. */
  wire: number | undefined
  id: string | undefined
  position: number
  name: string
  custom: boolean
  progress: JsonProgress
}

/** What all choices of an answer share. */
export type Answer = {
  emit: Emit
  nextIndex(): number
  replyId(): string | undefined
  omit(what: string): void
}

export type StreamChoice = {
  /** For text, reasoning and refusals. */
  say(kind: 'text' | 'reasoning' | 'refusal', text: string): void
  call(piece: Json): void
  image(media: MediaBlock): void
  /** True when there was text to put them to. */
  cite(citations: readonly Citation[]): boolean
  logprobs(items: readonly Logprob[]): void
  finished(word: string | undefined): void
  readonly hasOutput: boolean
  readonly hasFinish: boolean
  /** Closes what is open, and what waits behind it. */
  closeAll(): void
  stop(): void
}

export function openStreamChoice(choice: number, { emit, nextIndex, replyId, omit }: Answer): StreamChoice {
  /** The first is the one that is passed on. */
  const line: Line[] = []
  const calls: (Line & { call: CallFacts })[] = []
  const distinct = openCallIds()
  const cited: Citation[] = []
  let finish: string | undefined
  let hasRefusal = false
  let hasOutput = false

  function openOf({ kind, media, call }: Line): OpenBlock | undefined {
    if (call !== undefined) {
      const id = call.id ?? missingCallId(replyId(), choice, call.position)
      return { type: 'call', id: distinct(id), name: call.name, custom: call.custom }
    }
    if (media !== undefined) return { type: 'media', mime: media.mime, data: media.data }
    if (kind === 'reasoning') return { type: 'reasoning', style: 'full' }
    return kind === 'text' || kind === 'refusal' ? { type: kind } : undefined
  }

  function open(block: Line): void {
    if (block.index >= 0) return
    const opened = openOf(block)
    if (opened === undefined) return
    block.index = nextIndex()
    emit({ type: 'open', index: block.index, choice, block: opened })
    for (const held of block.held) emit({ ...held, index: block.index })
    block.held = []
  }

  function close(block: Line): void {
    open(block)
    emit({ type: 'close', index: block.index })
    block.isClosed = true
  }

  /** A call without its name cannot be opened yet. */
  const isReady = ({ call }: Line): boolean => call === undefined || call.name !== ''

  const mayEnd = ({ call }: Line): boolean => call === undefined || (call.name !== '' && call.progress.isComplete)

  /** Lets the line move on as far as it can. */
  function advance(): void {
    for (;;) {
      const first = line[0]
      if (first === undefined) return
      if (isReady(first)) open(first)
      if (line.length === 1 || !mayEnd(first)) return
      close(first)
      line.shift()
    }
  }

  function join(kind: Line['kind'], more: { media?: MediaBlock; call?: CallFacts } = {}): Line {
    const block: Line = { kind, index: -1, isClosed: false, held: [], media: more.media, call: more.call }
    hasOutput = true
    line.push(block)
    advance()
    return block
  }

  function put(block: Line, held: Held): void {
    if (block.index >= 0) emit({ ...held, index: block.index })
    else block.held.push(held)
  }

  function say(kind: 'text' | 'reasoning' | 'refusal', text: string): void {
    if (kind === 'refusal') hasRefusal = true
    const last = line.at(-1)
    const block = last !== undefined && last.kind === kind ? last : join(kind)
    if (block.index >= 0) emit({ type: 'delta', index: block.index, text })
    else block.held.push({ type: 'delta', text })
  }

  function call(piece: Json): void {
    const { name, text, custom } = calledOf(piece)
    const id = finishWord(piece.id)
    const wire = Number.isInteger(piece.index) ? Number(piece.index) : undefined
    const block = knownCall(wire, id, name) ?? newCall(wire, id, custom)
    const { call: facts } = block
    const signature = signatureOf(piece)
    if (block.isClosed) {
      if (text.trim() !== '' || signature !== undefined) omit('tool_calls')
      return
    }
    facts.id ??= id
    // Some services repeat the name with every piece.
    if (facts.name === '') facts.name = name
    if (custom && block.index < 0) facts.custom = true
    if (signature !== undefined) put(block, { type: 'signature', value: signature })
    if (text !== '') {
      if (!facts.custom) follow(facts.progress, text)
      put(block, { type: 'delta', text })
    }
    advance()
  }

  function knownCall(wire: number | undefined, id: string | undefined, name: string) {
    if (wire !== undefined) {
      const known = calls.findLast((candidate) => candidate.call.wire === wire)
      return known === undefined || isAnother(known.call, id, name) ? undefined : known
    }
    if (id !== undefined) return calls.findLast((candidate) => candidate.call.id === id)
    const last = calls.at(-1)
    if (last === undefined || name === '') return last
    // Neither number nor id: a whole call, or a piece that repeats the name.
    return last.call.name === name && !last.call.progress.isComplete ? last : undefined
  }

  function newCall(wire: number | undefined, id: string | undefined, custom: boolean) {
    const facts: CallFacts = { wire, id, position: calls.length, name: '', custom, progress: newProgress() }
    const block = Object.assign(join('call', { call: facts }), { call: facts })
    calls.push(block)
    return block
  }

  function attachable(): Line | undefined {
    const last = line.at(-1)
    return last?.kind === 'text' ? last : undefined
  }

  return {
    say,
    call,
    image(media) {
      join('media', { media })
    },
    cite(citations) {
      const block = attachable()
      if (block === undefined) return false
      cited.push(...citations)
      for (const citation of citations) put(block, { type: 'citation', citation })
      return true
    },
    logprobs(items) {
      const block = attachable()
      if (block === undefined) omit('logprobs')
      else put(block, { type: 'logprobs', items })
    },
    finished(word) {
      finish = word ?? finish
    },
    get hasOutput() {
      return hasOutput
    },
    get hasFinish() {
      return finish !== undefined
    },
    closeAll() {
      for (const block of line) close(block)
      line.length = 0
      const search = searchFor(cited)
      if (search === undefined) return
      const index = nextIndex()
      emit({ type: 'open', index, choice, block: search })
      emit({ type: 'close', index })
    },
    stop() {
      const stop = stopOf(finish, { calls: calls.length > 0, refusal: hasRefusal })
      if (stop !== undefined) emit({ type: 'stop', choice, stop })
    },
  }
}

/**
 * The same number, but another call: services that number every call 0, and answers that follow one another. An id
 * alone does not tell, since some services make a new one for every piece.
 */
function isAnother(known: CallFacts, id: string | undefined, name: string): boolean {
  if (name === '' || known.name === '') return false
  if (id !== undefined && known.id !== undefined) return id !== known.id
  return name !== known.name && known.progress.hasBegun
}
