// Token figures of image models that bill by the token.

import { isObject } from '../../../canonical/reading.ts'
import { checkedUsage, readCount, reportedCost, type Usage } from '../../../canonical/usage.ts'

/** Undefined: no figure in it. */
export function decodeUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const input = readCount(value.input_tokens)
  const output = readCount(value.output_tokens)
  if (input === undefined && output === undefined) return undefined
  const inputDetails = isObject(value.input_tokens_details) ? value.input_tokens_details : {}
  const outputDetails = isObject(value.output_tokens_details) ? value.output_tokens_details : {}
  const imageOutput = readCount(outputDetails.image_tokens)
  return checkedUsage({
    input,
    output,
    cachedInput: readCount(inputDetails.cached_tokens),
    cacheWrite: undefined,
    reasoning: undefined,
    imageInput: readCount(inputDetails.image_tokens),
    // Where no parts are told, all output is that of images.
    imageOutput: imageOutput ?? output,
    upstreamCost: reportedCost(value),
  })
}

export type WrittenUsage = {
  total_tokens: number
  input_tokens: number
  output_tokens: number
  input_tokens_details: { text_tokens: number; image_tokens: number }
  output_tokens_details: { text_tokens: number; image_tokens: number }
}

/** Zeros where nothing is known: clients demand the field in the last event of a stream. */
export function encodeUsage(usage: Usage | undefined): WrittenUsage {
  const input = usage?.input ?? 0
  const output = usage?.output ?? 0
  const imageInput = usage?.imageInput ?? 0
  const imageOutput = usage?.imageOutput ?? output
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: { text_tokens: input - imageInput, image_tokens: imageInput },
    output_tokens_details: { text_tokens: output - imageOutput, image_tokens: imageOutput },
  }
}
