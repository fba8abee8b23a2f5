// The client's response: streamed, or as a whole. Both settle the call before the last byte leaves.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import type { TextCall } from '../text-call.ts'
import { respondJson } from './respond-json.ts'
import { respondStream } from './respond-stream.ts'

export const respond = (call: TextCall, deps: TextCallDependencies): Promise<HttpResponse> =>
  (call.isStream ? respondStream : respondJson)(call, deps)
