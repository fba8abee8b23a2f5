// What a reason to reject an operation is: a code for programs, and a message.

/** The codes that programs get, with their HTTP status. Several reasons may share one. */
export const REJECTION_CODES = {
  bad_request: 400,
  forbidden: 403,
  unknown_group: 403,
  built_in_key: 403,
  not_found: 404,
  unknown_code: 404,
  address_taken: 409,
  conflict: 409,
  insufficient_balance: 409,
  key_deleted: 409,
  code_used: 409,
  code_expired: 409,
  balance_too_large: 409,
  too_many_keys: 409,
  too_many_tries: 429,
  upstream_failed: 502,
} as const satisfies Record<string, number>

export type RejectionCode = keyof typeof REJECTION_CODES

export type Details = Readonly<Record<string, string | number>>
/** `isInput`: the input is wrong, whatever the state of the gateway. */
export type Rule<D extends Details> = { code: RejectionCode; isInput?: true; message(details: D): string }

export const rule = <D extends Details>(code: RejectionCode, message: Rule<D>['message']): Rule<D> => ({
  code,
  message,
})
export const input = <D extends Details>(message: Rule<D>['message']): Rule<D> => ({
  code: 'bad_request',
  isInput: true,
  message,
})
/** The field of the input that is wrong. */
export type Field = { field: string }
export type Nothing = Readonly<Record<string, never>>
