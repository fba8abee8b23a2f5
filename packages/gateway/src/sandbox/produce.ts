// Plays a plan as a sequence of outputs, and meters exactly what came out.
import type { Tool } from './ask.ts'
import type { Part, Plan } from './plan.ts'
import { bytesOfTokens, fitBytes, tokensOfBytes, utf8Bytes } from './tokens.ts'

export type FinishReason = 'stop' | 'length' | 'tools'

export type Output =
  | { type: 'start' }
  | { type: 'reasoning' | 'text' | 'refusal'; text: string }
  | { type: 'tool-start'; call: number; id: string; name: string; form: Tool['form'] }
  | { type: 'tool-input'; call: number; form: Tool['form']; text: string }
  | { type: 'end'; reason: FinishReason }

/** Grows while the answer is produced: at any moment it tells what was produced until then. */
export type Meter = { promptTokens: number; cachedTokens: number; completionTokens: number; reasoningTokens: number }

export function openMeter(plan: Plan): Meter {
  return { promptTokens: plan.promptTokens, cachedTokens: plan.cachedTokens, completionTokens: 0, reasoningTokens: 0 }
}

export function* produce(parts: readonly Part[], maxTokens: number | undefined, meter: Meter): Generator<Output> {
  yield { type: 'start' }
  let left = maxTokens ?? Number.MAX_SAFE_INTEGER
  let call = -1
  for (const part of parts) {
    if (part.type === 'tool') {
      const nameTokens = tokensOfBytes(utf8Bytes(part.name))
      if (nameTokens > left) return yield { type: 'end', reason: 'length' }
      left -= nameTokens
      meter.completionTokens += nameTokens
      call++
      yield { type: 'tool-start', call, id: part.id, name: part.name, form: part.form }
    }
    let bytes = 0
    for (const piece of part.pieces) {
      const kept = fitBytes(piece, bytesOfTokens(left) - bytes)
      const grown = bytes + utf8Bytes(kept)
      const tokens = tokensOfBytes(grown) - tokensOfBytes(bytes)
      bytes = grown
      meter.completionTokens += tokens
      if (part.type === 'reasoning') meter.reasoningTokens += tokens
      if (kept !== '') {
        yield part.type === 'tool'
          ? { type: 'tool-input', call, form: part.form, text: kept }
          : { type: part.type, text: kept }
      }
      if (kept.length < piece.length) return yield { type: 'end', reason: 'length' }
    }
    left -= tokensOfBytes(bytes)
  }
  yield { type: 'end', reason: call >= 0 ? 'tools' : 'stop' }
}

/** All choices side by side, a piece of each in turn, as a service with several choices does. */
export function* produceAll(plan: Plan, meter: Meter): Generator<{ choice: number; output: Output }> {
  let running = plan.choices.map((parts, choice) => ({ choice, outputs: produce(parts, plan.maxTokens, meter) }))
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
