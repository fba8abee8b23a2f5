// Renders an order: pictures and edits of them, their coarser versions, and the formats that files have.

import { badRequest } from '../request/errors.ts'
import { background, drawPicture, drawText, WHITE } from './draw.ts'
import type { ImageOrder, OutputFormat, RenderedImage } from './image-call.ts'
import { decodeImage, encodePng } from './png.ts'
import { alphaOf, type Box, type Raster, resized } from './raster.ts'

const DEFAULT_SIDE = 1_024
export const LEAST_SIDE = 64
export const MOST_SIDE = 2_048

/** `wrongSize`: half of what was asked for. Throws SandboxError. */
export async function render(order: ImageOrder, count: number, wrongSize: boolean): Promise<RenderedImage[]> {
  const source = order.source && (await decoded(order.source, 'image'))
  const mask = order.mask && (await decoded(order.mask, 'mask'))
  const images: RenderedImage[] = []
  for (let index = 0; index < count; index++) {
    const whole = rasterOf(order, source, mask, index)
    const raster = wrongSize ? resized(whole, whole.width >> 1, whole.height >> 1) : whole
    const bytes = await encoded(raster, order)
    const partials: string[] = []
    for (let part = 0; part < order.partials; part++)
      partials.push(base64Of(await encoded(coarser(raster, blockOf(raster, part)), order)))
    images.push({ bytes, base64: base64Of(bytes), partials, size: `${raster.width}x${raster.height}` })
  }
  return images
}

async function decoded(bytes: Uint8Array<ArrayBuffer>, field: string): Promise<Raster> {
  try {
    return await decodeImage(bytes)
  } catch {
    const message = `Invalid image file in '${field}': it is damaged, too large, or neither PNG nor JPEG nor WebP.`
    throw badRequest(message, field, 'invalid_image_file')
  }
}

function rasterOf(order: ImageOrder, source: Raster | undefined, mask: Raster | undefined, index: number): Raster {
  const { prompt, transparent, size } = order
  if (source === undefined) {
    const { width = DEFAULT_SIDE, height = DEFAULT_SIDE } = size ?? {}
    return drawPicture({ prompt, width, height, index, transparent })
  }
  const edited = editedPicture(source, mask, prompt, index)
  return size === undefined || (size.width === edited.width && size.height === edited.height)
    ? edited
    : resized(edited, size.width, size.height)
}

/**
 * The prompt is drawn where the mask is transparent, and every other pixel stays as it was. Without a mask a band at the bottom
 * may be changed. Throws SandboxError.
 */
function editedPicture(source: Raster, mask: Raster | undefined, prompt: string, index: number): Raster {
  const { width, height, pixels } = source
  if (mask !== undefined && (mask.width !== width || mask.height !== height)) {
    const sizes = `${mask.width}x${mask.height} instead of ${width}x${height}`
    throw badRequest(`Invalid mask image format - mask size does not match image size: ${sizes}.`, 'mask')
  }
  const band = height - Math.max(1, Math.round(height / 3))
  const isOpen = (at: number) => (mask === undefined ? at >= band * width : alphaOf(mask.pixels[at] ?? 0) === 0)
  const box = boxAround(width, pixels.length, isOpen)
  // What was changed can be changed again, also by the same prompt.
  const drawn = background(width, height, `${prompt}\0${index}\0${pixels[box.y * width + box.x]}`)
  drawText(drawn, prompt, box, WHITE)
  return { width, height, pixels: pixels.map((pixel, at) => (isOpen(at) ? (drawn.pixels[at] ?? 0) : pixel)) }
}

function boxAround(width: number, count: number, isOpen: (at: number) => boolean): Box {
  let [left, top, right, bottom] = [width, 0, 0, 0]
  for (let at = 0; at < count; at++) {
    if (!isOpen(at)) continue
    const [x, y] = [at % width, Math.floor(at / width)]
    if (right === 0) top = y
    left = Math.min(left, x)
    right = Math.max(right, x + 1)
    bottom = y + 1
  }
  return { x: Math.min(left, right), y: top, width: Math.max(0, right - left), height: bottom - top }
}

/** 1/8, 1/16 and 1/32 of the shorter side. */
const blockOf = ({ width, height }: Raster, part: number): number => Math.max(2, Math.min(width, height) >> (3 + part))

/** The same picture in squares of about so many pixels, each of one colour. */
export const coarser = (raster: Raster, block: number): Raster =>
  resized(
    resized(raster, Math.ceil(raster.width / block), Math.ceil(raster.height / block)),
    raster.width,
    raster.height,
  )

const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')

async function encoded(
  raster: Raster,
  order: { format: OutputFormat; compression: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const png = await encodePng(raster)
  if (order.format === 'png') return png
  try {
    const image = new Bun.Image(png)
    const quality = Math.max(1, order.compression)
    return Uint8Array.from(await (order.format === 'jpeg' ? image.jpeg({ quality }) : image.webp({ quality })).bytes())
  } catch {
    throw badRequest(`This sandbox cannot write ${order.format}. Supported values are: 'png'.`, 'output_format')
  }
}
