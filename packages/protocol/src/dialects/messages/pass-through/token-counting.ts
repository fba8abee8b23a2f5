// Counting the input tokens of a messages request.

import { readBody } from '../../shared/pass-through/request.ts'
import { countIn, countRequest, fieldsIn } from '../../shared/pass-through/token-counting.ts'
import type { TokenCounting } from '../../token-counting.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { NAMES } from './fields.ts'
import { namedUrls, vendorObjects } from './vendor-fields.ts'

const COUNTED: ReadonlySet<string> = new Set([
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
])

export const tokenCounting: TokenCounting = {
  readRequest(bytes, codec, _addressed, maxValues) {
    const { scan, body } = readBody(bytes, codec, NAMES, maxValues)
    // A count has no cap, but every other request needs one.
    const canonical = { ...decodeRequest({ ...body, max_tokens: 1 }), sampling: {} }
    return countRequest({ bytes, scan, body }, canonical, { objects: vendorObjects(body), urls: namedUrls(body) })
  },
  countBody: (request, model) => ({ model, ...fieldsIn(request, (name) => COUNTED.has(name)) }),
  decodeCount: (body) => countIn(body, 'input_tokens'),
  encodeCount: (tokens) => ({ input_tokens: tokens }),
}
