// Renders an order: pictures, their coarser versions, and the formats that files have.

import { badRequest } from '../request/errors.ts'
import { drawPicture } from './draw.ts'
import { decodeImage, editedPicture } from './edit.ts'
import type { ImageOrder, OutputFormat, RenderedImage } from './image-call.ts'
import { encodePng } from './png.ts'
import { pixelated, type Raster, resized } from './raster.ts'

const DEFAULT_SIDE = 1_024
export const LEAST_SIDE = 64
export const MOST_SIDE = 2_048

/** `wrongSize`: half of what was asked for. Throws SandboxError. */
export async function render(order: ImageOrder, count: number, wrongSize: boolean): Promise<RenderedImage[]> {
  const source = order.source && (await decodeImage(order.source, 'image'))
  const mask = order.mask && (await decodeImage(order.mask, 'mask'))
  const images: RenderedImage[] = []
  for (let index = 0; index < count; index++) {
    const raster = sized(rasterOf(order, source, mask, index), wrongSize)
    const bytes = await encoded(raster, order)
    const partials: string[] = []
    for (let part = 0; part < order.partials; part++) {
      const coarse = pixelated(raster, blockOf(raster, part))
      partials.push(base64Of(await encoded(coarse, order)))
    }
    images.push({ bytes, base64: base64Of(bytes), partials, size: `${raster.width}x${raster.height}` })
  }
  return images
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

const sized = (raster: Raster, wrongSize: boolean): Raster =>
  wrongSize ? resized(raster, raster.width >> 1, raster.height >> 1) : raster

/** 1/8, 1/16 and 1/32 of the shorter side. */
const blockOf = ({ width, height }: Raster, part: number): number => Math.max(2, Math.min(width, height) >> (3 + part))

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
