// How the admin API serves an operation: by a method and a path below /admin/v1/. `{key}` in the path is the field `key` of the operation's
// input; its other fields come from the query of a GET or DELETE, and from the body of a POST or PATCH.
import type { TObject } from 'typebox'

export type AdminMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'
export type AdminRouteName = `${AdminMethod} ${string}`

/** How a whole list is sent. */
export type ExportFormat = 'csv' | 'jsonl'

export type AdminRoute = {
  at: AdminRouteName
  /** What it does, in a few words. */
  summary: string
  /** What is returned; of a list: each entry. Other fields are not sent. */
  output: TObject
  /** The operation returns a page, and takes `after`, `before` and `limit`. */
  list?: true
  /** The list can be had as a file, with `?format=csv` or `?format=jsonl`. */
  csv?: true
  jsonl?: true
  /**
   * Many poll it: callers with the same input, and the same permission to see costs, share a response for 2 s, or until a
   * change that this node makes. What it returns must depend on nothing else of the caller.
   */
  isShared?: true
  /** It changes a person, who may have several accounts or none, and not the account that the path begins with. */
  changesPerson?: true
  /** The status of a successful response; 200 unless given. */
  status?: 201 | 202
  /** The field of the result that is the resource; what is beside it, such as a secret, joins it. */
  resource?: string
  /** The field of the input that takes the Idempotency-Key: the operation itself then does the same thing once, whatever happens. */
  reference?: string
  /** For the description of the API. */
  example?: { body?: object; query?: string }
}
