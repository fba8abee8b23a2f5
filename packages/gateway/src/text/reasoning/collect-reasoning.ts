// Collects the reasoning of a response that its client cannot send back.

import { type ReasonedCall, reasonedCalls } from '@trivium/protocol/canonical/call-reasoning.ts'
import type { StreamEvent } from '@trivium/protocol/canonical/event.ts'
import { parsedJson } from '@trivium/protocol/canonical/reading.ts'
import type {
  Block,
  CallBlock,
  CanonicalReply,
  ReasoningBlock,
  RedactedBlock,
} from '@trivium/protocol/canonical/reply.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import { codec } from '../../bytes/codec.ts'
import type { PlannedAttempt } from '../request.ts'
import type { Seals } from '../translation/seals.ts'

/** Characters of one response. Of a longer one nothing is kept. */
const MOST_CHARACTERS = 1024 ** 2

type Collected = ReasoningBlock | RedactedBlock | CallBlock

export class ReasoningCollector {
  readonly keepMs: number
  readonly #seal: (signature: string) => string
  /** The client carries signatures: only text that it was not shown is lost. */
  readonly #isTextOnly: boolean
  /** By choice. */
  #blocks = new Map<number, Collected[]>()
  #open = new Map<number, Collected>()
  #characters = 0
  /** The answer has begun with something else than reasoning. */
  isUnreasoned = false
  /** Has the reader of the stream give what it still has. */
  flush: (() => void) | undefined

  constructor(keepMs: number, isTextOnly: boolean, seal: (signature: string) => string) {
    this.keepMs = keepMs
    this.#isTextOnly = isTextOnly
    this.#seal = seal
  }

  /** What an attempt before has brought is not part of the response. */
  reset(): void {
    this.#blocks = new Map()
    this.#open = new Map()
    this.#characters = 0
    this.isUnreasoned = false
  }

  take(event: StreamEvent): void {
    if (event.type === 'open') this.#begin(event)
    else if (event.type === 'close') this.#open.delete(event.index)
    else if (event.type === 'delta' || event.type === 'signature') {
      const block = this.#open.get(event.index)
      if (block === undefined || block.type === 'redacted') return
      if (event.type === 'signature') block.signature = event.value
      else if (block.type === 'call') block.arguments += this.#counted(event.text)
      else block.text += this.#counted(event.text)
    }
  }

  takeWhole({ choices }: CanonicalReply): void {
    this.reset()
    for (const [choice, { blocks }] of choices.entries()) this.#blocks.set(choice, blocks.filter(isCollected))
  }

  calls(): ReasonedCall[] {
    this.flush?.()
    if (this.#characters > MOST_CHARACTERS) return []
    return [...this.#blocks.values()].flatMap((blocks) => reasonedCalls(this.#lost(blocks), this.#seal))
  }

  #begin({ index, choice, block }: Extract<StreamEvent, { type: 'open' }>): void {
    if (this.#blocks.size === 0 && block.type !== 'reasoning' && block.type !== 'redacted') this.isUnreasoned = true
    const collected = begun(block)
    if (collected === undefined) return
    const blocks = this.#blocks.get(choice) ?? []
    blocks.push(collected)
    this.#blocks.set(choice, blocks)
    this.#open.set(index, collected)
  }

  #counted(text: string): string {
    this.#characters += text.length
    return this.#characters > MOST_CHARACTERS ? '' : text
  }

  #lost(blocks: readonly Collected[]): readonly Collected[] {
    if (!this.#isTextOnly) return blocks
    return blocks.flatMap((block): Collected[] => {
      if (block.type === 'redacted') return []
      const { signature, ...unsigned } = block
      return signature !== undefined && block.type === 'reasoning' ? [] : [unsigned]
    })
  }
}

function begun(block: Extract<StreamEvent, { type: 'open' }>['block']): Collected | undefined {
  if (block.type === 'redacted') return { ...block }
  if (block.type === 'reasoning') return { ...block, text: '' }
  return block.type === 'call' ? { ...block, arguments: '' } : undefined
}

const isCollected = (block: Block): block is Collected =>
  block.type === 'reasoning' || block.type === 'redacted' || block.type === 'call'

/** undefined: the client can send back everything, or nothing is to be kept. */
export function collectorFor(
  { request: { keepReasoningMs, dialect, parsed }, caller, candidate }: PlannedAttempt,
  isHidden: boolean,
  seals: Seals,
): ReasoningCollector | undefined {
  if (keepReasoningMs === undefined || parsed.tools === 0 || !(dialect.losesReasoning || isHidden)) return undefined
  const seal = (signature: string) => seals.seal(caller.account, candidate.upstream.id, signature)
  return new ReasoningCollector(keepReasoningMs, !dialect.losesReasoning, seal)
}

/** Reads a stream that passes through, as long as there may be reasoning in it. */
export function collectFrom(dialect: TextDialect, collector: ReasoningCollector): (chunk: Uint8Array) => void {
  collector.reset()
  let isOver = false
  const take = (event: StreamEvent): void => {
    collector.take(event)
    isOver = event.type === 'end' || event.type === 'error' || collector.isUnreasoned
  }
  const decoder = dialect.openStreamDecoder(take, codec)
  collector.flush = () => {
    if (!isOver) decoder.end()
  }
  return (chunk) => {
    if (!isOver) decoder.push(chunk)
  }
}

export function collectWhole(bytes: Uint8Array, dialect: TextDialect, collector: ReasoningCollector): void {
  collector.reset()
  const decoded = dialect.decodeReply(parsedJson(codec.decode(bytes, 0, bytes.length)))
  if (decoded.ok) collector.takeWhole(decoded.reply)
}
