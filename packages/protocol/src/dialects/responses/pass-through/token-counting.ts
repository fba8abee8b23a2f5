// Counting the input tokens of a responses request.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { countIn, countRequest, fieldsIn } from '../../shared/pass-through/token-counting.ts'
import type { TokenCounting } from '../../token-counting.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { isForeignReasoning } from '../request/stored-state.ts'
import { stateOf } from '../state/request-state.ts'
import { NAMES } from './fields.ts'
import { namedUrls, vendorObjects } from './vendor-fields.ts'

const COUNTED: ReadonlySet<string> = new Set([
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'truncation',
  'previous_response_id',
  'conversation',
])

/** Without items that the upstream would look up in vain. */
function known(body: Json): Json {
  const { input } = body
  if (!Array.isArray(input)) return body
  return { ...body, input: input.filter((item) => !isObject(item) || !isForeignReasoning(item)) }
}

export const tokenCounting: TokenCounting = {
  readRequest(bytes, codec, addressed, maxValues) {
    const { scan, body } = readBody(bytes, codec, NAMES, maxValues)
    const canonical = decodeRequest(body, addressed)
    const named = { objects: vendorObjects(body), urls: namedUrls(body), state: stateOf({ bytes, scan, codec }, body) }
    return countRequest({ bytes, scan, body }, canonical, named)
  },
  countBody: (request, model) => ({ model, ...known(fieldsIn(request, (name) => COUNTED.has(name))) }),
  decodeCount: (body) => countIn(body, 'input_tokens'),
  encodeCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
}
