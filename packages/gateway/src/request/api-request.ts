// A request as the app hands it to an endpoint: its id is made, and the headers of its response are prepared.
import type { HttpRequest } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import type { Caller } from '../storage/storage.ts'

export type ApiRequest = {
  http: HttpRequest
  id: bigint
  query: string
  responseHeaders: ResponseHeaders
  /** For its line in the log. */
  record: RequestRecord
  /** Once its key has been looked up by routes.ts: reads are queued by account before their handler runs. */
  caller?: Caller
  /** Its record says whom and what it is for, as the request said that it was made for. */
  isAttributed?: true
}
