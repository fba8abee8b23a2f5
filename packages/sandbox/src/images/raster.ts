// Pixels in memory.

/** One pixel is a number: 0xAABBGGRR, which is R, G, B, A in memory. */
export type Raster = { width: number; height: number; pixels: Uint32Array<ArrayBuffer> }
export type Box = { x: number; y: number; width: number; height: number }

export const emptyRaster = (width: number, height: number): Raster => ({
  width,
  height,
  pixels: new Uint32Array(width * height),
})

export const color = (red: number, green: number, blue: number, alpha = 255): number =>
  ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0

export const alphaOf = (pixel: number): number => pixel >>> 24

/** Colours as people choose them: hue in degrees, the others from 0 to 1. */
export function colorOfHue(hue: number, saturation: number, lightness: number): number {
  const chroma = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const place = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - chroma * Math.max(-1, Math.min(place - 3, 9 - place, 1))))
  }
  return color(channel(0), channel(8), channel(4))
}

/** What is outside of the raster is left out. */
export function fill({ width, height, pixels }: Raster, box: Box, ink: number): void {
  const [left, right] = [Math.max(0, box.x), Math.min(width, box.x + box.width)]
  if (left >= right) return
  const bottom = Math.min(height, box.y + box.height)
  for (let row = Math.max(0, box.y); row < bottom; row++) pixels.fill(ink, row * width + left, row * width + right)
}

/** To another size, by the nearest pixel. */
export function resized({ width, height, pixels }: Raster, toWidth: number, toHeight: number): Raster {
  const result = emptyRaster(toWidth, toHeight)
  for (let y = 0; y < toHeight; y++) {
    const row = Math.floor(((y + 0.5) * height) / toHeight) * width
    for (let x = 0; x < toWidth; x++)
      result.pixels[y * toWidth + x] = pixels[row + Math.floor(((x + 0.5) * width) / toWidth)] ?? 0
  }
  return result
}
