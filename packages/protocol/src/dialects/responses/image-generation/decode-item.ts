// The output item of the image tool, and what a response says of its tokens.

import { type ErrorInfo, errorInfo } from '../../../canonical/error.ts'
import type { ImageDetails, ReplyImage } from '../../../canonical/image.ts'
import { isObject, type Json, withoutUndefined } from '../../../canonical/reading.ts'
import { checkedUsage, sum, type Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type ThinJson, takenString } from '../../../framing/json/thin-json.ts'
import { base64Of } from '../../shared/images/base64.ts'
import { decodeUsage as decodeImageUsage } from '../../shared/images/usage.ts'
import { decodeUsage } from '../reply/usage.ts'

/** Undefined: the item is another, or has no image. */
export function decodeItem(
  item: unknown,
  thin: ThinJson,
  codec: Codec,
): { image: ReplyImage; details: ImageDetails } | undefined {
  if (!isObject(item) || item.type !== 'image_generation_call') return undefined
  const base64 = base64Of(thin, item.result, codec)
  if (base64 === undefined) return undefined
  const revisedPrompt = wholeText(item.revised_prompt, thin, codec)
  return {
    image: { base64, unknown: [], ...(revisedPrompt === undefined ? {} : { revisedPrompt }) },
    details: decodeDetails(item),
  }
}

function wholeText(value: unknown, thin: ThinJson, codec: Codec): string | undefined {
  const text = textOf(value)
  const taken = text === undefined ? undefined : takenString(thin, text)
  if (taken === undefined) return text
  try {
    return textOf(JSON.parse(`"${taken.pieces.map((piece) => codec.decode(piece, 0, piece.length)).join('')}"`))
  } catch {
    return undefined
  }
}

export function decodeDetails(item: Json): ImageDetails {
  return withoutUndefined<ImageDetails>({
    size: textOf(item.size),
    quality: textOf(item.quality),
    background: textOf(item.background),
    outputFormat: textOf(item.output_format),
  })
}

/** The tokens of the model, and those of the tool, which are told beside them. */
export function decodeResponseUsage(response: unknown): Usage | undefined {
  const model = decodeUsage(response, undefined)
  const tools = isObject(response) ? response.tool_usage : undefined
  const tool = isObject(tools) ? decodeImageUsage(tools.image_gen) : undefined
  if (model === undefined || tool === undefined) return model ?? tool
  return checkedUsage({
    ...model,
    input: sum(model.input, tool.input),
    output: sum(model.output, tool.output),
    imageInput: sum(tool.imageInput, model.imageInput),
    imageOutput: sum(tool.imageOutput, model.imageOutput),
  })
}

/** Why a response that ended has no image. */
export function withoutImage(response: Json): ErrorInfo {
  const { incomplete_details: details } = response
  const billed = decodeResponseUsage(response) === undefined ? {} : ({ billed: true } as const)
  if (isObject(details) && details.reason === 'content_filter')
    return errorInfo('content_policy_violation', "The request was blocked by the upstream's moderation.", billed)
  return errorInfo('upstream_no_image', 'The upstream answered without an image.', billed)
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
