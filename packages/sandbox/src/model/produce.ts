// Produces the outputs of a plan in sequence, and meters them exactly.
import type { Part, PartHead, Plan } from './plan.ts'
import { openSignature } from './signature.ts'
import { bytesOfTokens, fitBytes, tokensOfBytes, utf8Bytes } from './tokens.ts'

export type FinishReason = 'stop' | 'stop-sequence' | 'length' | 'tools' | 'refusal' | 'filter'

/**
 * Blocks of one choice are numbered from 0 and never overlap; `call` numbers the tool calls among them. `searches`: how many
 * searches precede it.
 */
export type Block = { block: number; call: number; searches: number; head: PartHead }

export type Output =
  | { type: 'start' }
  | ({ type: 'open' } & Block)
  | ({ type: 'delta'; text: string } & Block)
  /** `whole`: not cut by the token limit. `signature` covers the text of reasoning. */
  | ({ type: 'close'; whole: boolean; signature: string | undefined } & Block)
  | { type: 'end'; reason: FinishReason; stop: string | undefined }

/** Updated while the answer is produced. */
export type Meter = {
  promptTokens: number
  cachedTokens: number
  cacheWrittenTokens: number
  completionTokens: number
  reasoningTokens: number
  searches: number
}

export function openMeter({ promptTokens, cachedTokens, cacheWrittenTokens }: Plan): Meter {
  return { promptTokens, cachedTokens, cacheWrittenTokens, completionTokens: 0, reasoningTokens: 0, searches: 0 }
}

export function* produce(plan: Plan, choice: number, meter: Meter): Generator<Output> {
  yield { type: 'start' }
  const room: Room = { left: plan.maxTokens ?? Number.MAX_SAFE_INTEGER }
  const count = { block: -1, call: -1, searches: 0 }
  let stop: string | undefined
  let refused = false
  for (const part of plan.choices[choice] ?? []) {
    const ended = yield* playPart(part, room, meter, count)
    if (ended.cut) return yield { type: 'end', reason: 'length', stop: undefined }
    stop = ended.stop
    refused ||= part.head.kind === 'refusal'
  }
  const reason = plan.filtered ? 'filter' : refused ? 'refusal' : count.call >= 0 ? 'tools' : 'stop'
  yield { type: 'end', reason: stop === undefined ? reason : 'stop-sequence', stop }
}

type Ended = { cut: boolean; stop: string | undefined }
type Room = { left: number }

function* playPart(
  part: Part,
  room: Room,
  meter: Meter,
  count: { block: number; call: number; searches: number },
): Generator<Output, Ended> {
  const { head, pieces } = part
  if (head.kind === 'tool') {
    const tokens = tokensOfBytes(utf8Bytes(head.name))
    if (tokens > room.left) return { cut: true, stop: undefined }
    room.left -= tokens
    meter.completionTokens += tokens
    count.call++
  }
  const block: Block = { block: count.block + 1, call: count.call, searches: count.searches, head }
  if (head.kind === 'search') {
    count.searches++
    meter.searches++
  }
  const hidden = head.kind === 'reasoning' && head.text !== 'shown'
  const signature = head.kind === 'reasoning' ? openSignature() : undefined
  // Text that has not started when the token limit is reached leaves no empty block.
  let opened = head.kind === 'tool' || head.kind === 'search' || hidden
  if (opened) yield { type: 'open', ...block }
  let bytes = 0
  const ended: Ended = { cut: false, stop: undefined }
  const walk = pieces[Symbol.iterator]()
  for (let step = walk.next(); !ended.cut; step = ended.cut ? step : walk.next()) {
    if (step.done) {
      if (typeof step.value === 'string') ended.stop = step.value
      break
    }
    const kept = fitBytes(step.value, bytesOfTokens(room.left) - bytes)
    const grown = bytes + utf8Bytes(kept)
    const tokens = tokensOfBytes(grown) - tokensOfBytes(bytes)
    bytes = grown
    meter.completionTokens += tokens
    if (head.kind === 'reasoning') meter.reasoningTokens += tokens
    if (kept !== '' && !hidden) {
      if (!opened) yield { type: 'open', ...block }
      opened = true
      signature?.update(kept)
      yield { type: 'delta', text: kept, ...block }
    }
    ended.cut = kept.length < step.value.length
  }
  room.left -= tokensOfBytes(bytes)
  if (opened) {
    count.block++
    yield { type: 'close', whole: !ended.cut, signature: signature?.signature(), ...block }
  }
  return ended
}

/** Interleaves the calls of an answer, piece by piece. */
export function* interleaved(outputs: Iterable<Output>): Generator<Output> {
  let calls: Output[][] = []
  for (const output of outputs) {
    if ('head' in output && output.head.kind === 'tool') {
      calls[output.call] ??= []
      calls[output.call]?.push(output)
      continue
    }
    const longest = Math.max(0, ...calls.map((call) => call.length))
    for (let turn = 0; turn < longest; turn++) {
      yield* calls.flatMap((call) => call.slice(turn, turn + 1))
    }
    calls = []
    yield output
  }
}

/** Interleaves all choices piece by piece, as services with several choices do. */
export function* produceAll(
  plan: Plan,
  meter: Meter,
  interleave = false,
): Generator<{ choice: number; output: Output }> {
  let running = plan.choices.map((_, choice) => {
    const outputs = produce(plan, choice, meter)
    return { choice, outputs: interleave ? interleaved(outputs) : outputs }
  })
  while (running.length > 0) {
    const next: typeof running = []
    for (const entry of running) {
      const step = entry.outputs.next()
      if (step.done) continue
      yield { choice: entry.choice, output: step.value }
      next.push(entry)
    }
    running = next
  }
}
