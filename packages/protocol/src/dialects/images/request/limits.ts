// Checks a request against what its model accepts.

import type { ImageLimits, ImageRequest, SizeRange } from '../../../canonical/image.ts'
import { wrong } from '../../../canonical/reading.ts'
import { sidesOf } from '../../shared/images/sides.ts'

/** `auto` and an absent field are always accepted. Throws RequestError, which lists what is allowed. */
export function checkImageLimits({ model, size, quality, n, series }: ImageRequest, limits: ImageLimits): void {
  if (size !== undefined && size !== 'auto' && !isAllowedSize(size, limits))
    throw wrong('size', `size '${size}' is not available for model '${model}'. Allowed: ${allowedSizes(limits)}.`)
  const { qualities } = limits
  if (quality !== undefined && quality !== 'auto' && qualities !== undefined && !qualities.includes(quality)) {
    const allowed = ['auto', ...qualities.filter((word) => word !== 'auto')].join(', ')
    throw wrong('quality', `quality '${quality}' is not available for model '${model}'. Allowed: ${allowed}.`)
  }
  if (limits.n !== undefined && n > limits.n)
    throw wrong('n', `n must be at most ${limits.n} for model '${model}'. Allowed: 1 to ${limits.n}.`)
  if (limits.n !== undefined && series?.isChosen && series.most > limits.n) {
    const field = 'sequential_image_generation_options.max_images'
    throw wrong(field, `${field} must be at most ${limits.n} for model '${model}'.`)
  }
}

/** A series whose number the request does not choose has as many images as the model allows. */
export function limitSeries<Request extends ImageRequest>(request: Request, { n }: ImageLimits): Request {
  const { series } = request
  if (!series || n === undefined || series.most <= n) return request
  return { ...request, series: { ...series, most: n } }
}

function isAllowedSize(size: string, { sizes, sizeRange }: ImageLimits): boolean {
  if (sizes === undefined && sizeRange === undefined) return true
  return (
    sizes?.some((each) => each.toLowerCase() === size.toLowerCase()) === true ||
    (sizeRange !== undefined && isInRange(size, sizeRange))
  )
}

function isInRange(size: string, range: SizeRange): boolean {
  const { least, most, multipleOf = 1, maxRatio, minPixels = 0, maxPixels } = range
  const sides = sidesOf(size)
  if (sides === undefined) return false
  const [short = 0, long = 0] = [sides.width, sides.height].sort((one, other) => one - other)
  if (short < least || long > most || short % multipleOf !== 0 || long % multipleOf !== 0) return false
  if (long > short * (maxRatio ?? Number.POSITIVE_INFINITY) || short * long < minPixels) return false
  return short * long <= (maxPixels ?? Number.POSITIVE_INFINITY)
}

function allowedSizes({ sizes = [], sizeRange }: ImageLimits): string {
  const range = sizeRange === undefined ? [] : [describeRange(sizeRange)]
  return ['auto', ...sizes.filter((size) => size !== 'auto'), ...range].join(', ')
}

function describeRange({ least, most, multipleOf, maxRatio, minPixels, maxPixels }: SizeRange): string {
  const conditions = [
    multipleOf === undefined ? '' : `sides divisible by ${multipleOf}`,
    maxRatio === undefined ? '' : `at most ${maxRatio}:1`,
    minPixels === undefined ? '' : `at least ${minPixels} pixels`,
    maxPixels === undefined ? '' : `at most ${maxPixels} pixels`,
  ].filter((condition) => condition !== '')
  const details = conditions.length === 0 ? '' : ` (${conditions.join(', ')})`
  return `any size from ${least}x${least} to ${most}x${most}${details}`
}
