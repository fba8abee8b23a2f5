// Fields that the endpoints share: checked as a real service does.

import { badRequest } from '../request/errors.ts'
import { type Json, numberOr } from '../request/fields.ts'
import type { ImageOrder, OutputFormat } from './image-call.ts'
import { LEAST_SIDE, MOST_SIDE } from './render.ts'

export const MOST_IMAGES = 10
const FORMATS: readonly OutputFormat[] = ['png', 'jpeg', 'webp']

/** `path`: where the fields stand, such as `tools[0].`. Throws SandboxError. */
export function readOrder(fields: Json, prompt: string, path = ''): ImageOrder {
  const format = readFormat(fields, path)
  const transparent = fields.background === 'transparent'
  if (transparent && format === 'jpeg')
    throw badRequest('Transparent background is not supported for JPEG output format.', `${path}background`)
  return {
    prompt,
    n: readInteger(fields, 'n', 1, MOST_IMAGES, path) ?? 1,
    size: readSize(fields.size, `${path}size`),
    transparent,
    format,
    compression: readInteger(fields, 'output_compression', 0, 100, path) ?? 100,
    partials: readInteger(fields, 'partial_images', 0, 3, path) ?? 0,
    source: undefined,
    mask: undefined,
  }
}

function readFormat(fields: Json, path: string): OutputFormat {
  const given = fields.output_format ?? 'png'
  const format = FORMATS.find((known) => known === given)
  if (format !== undefined) return format
  const supported = FORMATS.map((known) => `'${known}'`).join(', ')
  throw badRequest(`Invalid value: '${String(given)}'. Supported values are: ${supported}.`, `${path}output_format`)
}

function readInteger(fields: Json, name: string, low: number, high: number, path: string): number | undefined {
  const value = fields[name]
  if (value === undefined || value === null) return undefined
  const number = numberOr(value, Number.NaN)
  if (Number.isInteger(number) && number >= low && number <= high) return number
  throw badRequest(`Invalid '${path}${name}': expected an integer from ${low} to ${high}.`, `${path}${name}`)
}

export function readSize(value: unknown, param: string): ImageOrder['size'] {
  if (value === undefined || value === null || value === 'auto') return undefined
  const match = typeof value === 'string' ? /^(\d{2,5})x(\d{2,5})$/.exec(value) : null
  const [width, height] = [Number(match?.[1]), Number(match?.[2])]
  const isRight = [width, height].every((side) => side >= LEAST_SIDE && side <= MOST_SIDE)
  if (isRight) return { width, height }
  const range = `${LEAST_SIDE}x${LEAST_SIDE} to ${MOST_SIDE}x${MOST_SIDE}`
  throw badRequest(`Invalid size '${String(value)}'. Supported sizes are ${range} and auto.`, param, 'invalid_value')
}

/** The content of a `data:` URL. */
export function bytesOfDataUrl(url: unknown): Uint8Array<ArrayBuffer> | undefined {
  const match = typeof url === 'string' ? /^data:image\/[\w.+-]{1,40};base64,/.exec(url.slice(0, 100)) : null
  return match === null || typeof url !== 'string' ? undefined : bytesOfBase64(url.slice(match[0].length))
}

export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(text, 'base64'))
