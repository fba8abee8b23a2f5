// Counting the input tokens of a generate-content request. The vendor takes `contents` alone, or a whole request as
// `generateContentRequest`; SDKs for its other platform send the fields of a request beside `contents`.

import { isObject, type Json, RequestError, wrong } from '../../../canonical/reading.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import type { PathParameters } from '../../dialect.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { countIn, countRequest, fieldsIn } from '../../shared/pass-through/token-counting.ts'
import type { TokenCounting } from '../../token-counting.ts'
import { resourceName } from '../endpoint.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { camelName } from '../request/fields.ts'
import { NAMES } from './fields.ts'
import { rejectAmbiguous } from './request.ts'
import { namedUrls, vendorObjects } from './vendor-fields.ts'

const COUNTED: ReadonlySet<string> = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'cachedContent',
])

export const tokenCounting: TokenCounting = {
  readRequest(bytes, codec, addressed, maxValues) {
    const { scan, body } = readBody(bytes, codec, NAMES, maxValues)
    rejectAmbiguous(bytes, scan, codec)
    const wrapper = Object.keys(body).find((name) => camelName(name) === WRAPPER)
    const request = wrapper === undefined ? body : wrappedIn(body, wrapper)
    const canonical = wrapper === undefined ? decodeRequest(body, addressed) : decodeIn(wrapper, request, addressed)
    const named = { objects: vendorObjects(request), urls: namedUrls(request) }
    return countRequest({ bytes, scan, body: request }, canonical, named)
  },
  countBody(request, model) {
    const { contents, ...more } = fieldsIn(request, (name) => COUNTED.has(camelName(name)))
    if (Object.keys(more).length === 0) return { contents }
    return { [WRAPPER]: { model: resourceName(model), contents, ...more } }
  },
  decodeCount: (body) => countIn(body, 'totalTokens'),
  encodeCount: (tokens) => ({ totalTokens: tokens }),
}

const WRAPPER = 'generateContentRequest'

function wrappedIn(body: Json, wrapper: string): Json {
  const request = body[wrapper]
  if (!isObject(request)) throw wrong(wrapper, `${wrapper} must be an object`)
  const other = Object.keys(body).find((name) => COUNTED.has(camelName(name)))
  if (other !== undefined)
    throw wrong(other, `${other} must be inside ${wrapper}, or the body must not have ${wrapper}`)
  return request
}

/** Errors name the field where it stands in the body. */
function decodeIn(wrapper: string, request: Json, addressed: PathParameters | undefined): CanonicalRequest {
  try {
    return decodeRequest(request, addressed)
  } catch (thrown) {
    if (!(thrown instanceof RequestError) || thrown.info.param === undefined) throw thrown
    const { code, param, message } = thrown.info
    throw new RequestError(code, `${wrapper}.${param}`, `${wrapper}.${message}`)
  }
}
