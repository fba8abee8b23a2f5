// Edits of an image: the prompt is drawn where the mask is transparent, and every other pixel stays as it was.

import { badRequest } from '../request/errors.ts'
import { drawCaption } from './draw.ts'
import { decodePng, isPng, NotPng } from './png.ts'
import { alphaOf, type Box, colorOfHue, fillGradient, type Raster } from './raster.ts'

/** PNG is read here, JPEG and WebP by the runtime. Throws SandboxError. */
export async function decodeImage(bytes: Uint8Array<ArrayBuffer>, field: string): Promise<Raster> {
  try {
    return decodePng(isPng(bytes) ? bytes : await new Bun.Image(bytes).png().bytes())
  } catch (thrown) {
    const why = thrown instanceof NotPng ? thrown.message : 'it is neither PNG nor JPEG nor WebP'
    throw badRequest(`Invalid image file in '${field}': ${why}.`, field, 'invalid_image_file')
  }
}

/** Without a mask a band at the bottom of the picture may be changed. Throws SandboxError. */
export function editedPicture(source: Raster, mask: Raster | undefined, prompt: string, index: number): Raster {
  const { width, height } = source
  if (mask !== undefined && (mask.width !== width || mask.height !== height)) {
    const sizes = `${mask.width}x${mask.height} instead of ${width}x${height}`
    throw badRequest(`Invalid mask image format - mask size does not match image size: ${sizes}.`, 'mask')
  }
  const box = mask === undefined ? bandOf(source) : transparentBox(mask)
  const edited = { width, height, pixels: source.pixels.slice() }
  if (box === undefined) return edited
  const drawn = pictureIn(source, box, prompt, index)
  for (let y = box.y; y < box.y + box.height; y++)
    for (let x = box.x; x < box.x + box.width; x++) {
      const at = y * width + x
      if (mask === undefined || alphaOf(mask.pixels[at] ?? 0) === 0)
        edited.pixels[at] = drawn.pixels[(y - box.y) * box.width + x - box.x] ?? 0
    }
  return edited
}

function bandOf({ width, height }: Raster): Box {
  const band = Math.max(1, Math.round(height / 3))
  return { x: 0, y: height - band, width, height: band }
}

/** Around all the transparent pixels; undefined when there are none. */
function transparentBox({ width, height, pixels }: Raster): Box | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (alphaOf(pixels[y * width + x] ?? 0) === 0) {
        left = Math.min(left, x)
        right = Math.max(right, x)
        top = Math.min(top, y)
        bottom = y
      }
  return right < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

/** The new content of the box: the prompt on a background of its own. */
function pictureIn(source: Raster, box: Box, prompt: string, index: number): Raster {
  const { width, height } = box
  const raster: Raster = { width, height, pixels: new Uint32Array(width * height) }
  const hue = ((source.pixels[box.y * source.width + box.x] ?? 0) + prompt.length * 37 + index * 60) % 360
  fillGradient(raster, colorOfHue(hue, 0.6, 0.6), colorOfHue((hue + 40) % 360, 0.6, 0.4))
  drawCaption(raster, prompt, { x: 0, y: 0, width, height })
  return raster
}
