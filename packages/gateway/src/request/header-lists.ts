// Headers whose value is a list.
import type { RequestHeaders } from '@trivium/http/request.ts'

export const listOf = (value: string | null): string[] => (value ?? '').split(',').map((each) => each.trim())

/** Whether the client has this version, by its `if-none-match`: it gets 304 then. */
export const clientHas = (tag: string, headers: Pick<RequestHeaders, 'get'>): boolean =>
  listOf(headers.get('if-none-match')).includes(tag)
