// What must differ in a request for one upstream from the request as the client sent it: fields that the upstream does not
// have or that have no price are taken out, and named.

import type { ImageRequest } from '../../../canonical/image.ts'
import type { ImageTarget } from '../../image-service.ts'
import { isWish, WIRE_NAMES } from '../../shared/images/dropped-fields.ts'
import { asksForSomething, isCostly } from './costly-fields.ts'

export type Value = string | number | boolean | { max_images: number }
type Changes = { set: [name: string, value: Value][]; remove: string[] }

export function changesFor(request: ImageRequest, target: ImageTarget): Changes {
  const changes: Changes = { set: [['model', target.model]], remove: [] }
  const { set, remove } = changes
  addStream(changes, request, target)
  if (target.responseFormat === 'omit') remove.push('response_format')
  else if (target.responseFormat === 'b64_json' && request.responseFormat !== 'b64_json')
    set.push(['response_format', 'b64_json'])
  const lacks = (name: string) => target.lacks?.includes(name) === true
  // An upstream without `n` makes one image for each call.
  if (lacks('n')) remove.push('n')
  else if (target.n !== undefined && target.n !== request.n) set.push(['n', target.n])
  if (target.endUser === null || lacks('user')) remove.push('user')
  else if (target.endUser !== undefined) set.push(['user', target.endUser])
  for (const [field, name] of WIRE_NAMES) {
    if (!lacks(name)) continue
    remove.push(name)
    if (isWish(field, request[field])) target.warn(name, 'dropped')
  }
  addSeries(changes, request, target)
  if (request.attribution) remove.push(...request.attribution.own)
  for (const field of request.unknown) {
    if (!isCostly(field)) continue
    remove.push(field.name)
    if (asksForSomething(field)) target.warn(field.name, 'no-price')
  }
  return changes
}

function addStream({ set, remove }: Changes, request: ImageRequest, target: ImageTarget): void {
  if (target.stream !== request.stream) {
    if (target.stream) set.push(['stream', true])
    else remove.push('stream')
  }
  if (target.stream) return
  remove.push('partial_images')
  if (request.stream && isWish('partialImages', request.partialImages)) target.warn('partial_images', 'dropped')
}

const SERIES = 'sequential_image_generation'

/** The number is always sent, since it is what was held. */
function addSeries({ set, remove }: Changes, { series }: ImageRequest, target: ImageTarget): void {
  if (series && target.makesSeries) {
    set.push([`${SERIES}_options`, { max_images: series.most }])
    return
  }
  remove.push(`${SERIES}_options`)
  if (!target.makesSeries) remove.push(SERIES)
  if (series) target.warn(SERIES, 'no-price')
}
