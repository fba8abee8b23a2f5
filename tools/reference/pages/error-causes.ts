// Why each error occurs and what to do about it, in Markdown. The types demand a text for every code.
import type { ApiErrorCode } from '@trivium/gateway/http-api/errors.ts'
import type { ErrorCode } from '@trivium/protocol/canonical/error.ts'

export const CAUSES: Readonly<Record<ErrorCode, { cause: string; next: string }>> = {
  bad_request: {
    cause: 'The request is malformed, or a value is not allowed.',
    next: 'Correct the field in `param`; the message says what it must be.',
  },
  unsupported_parameter: {
    cause: 'The field has no equivalent in the protocol of the upstream, and dropping it would change the meaning.',
    next: 'Remove the field, or use a model whose upstream has it ([translation](translation.md)).',
  },
  context_length_exceeded: {
    cause: 'Input and requested output are longer than the context of the model.',
    next: 'Shorten the input, lower the maximum output, or use a model with a longer context.',
  },
  content_policy_violation: {
    cause: "The vendor's filter rejected the input or the result.",
    next: 'Change the input.',
  },
  previous_response_not_found: {
    cause: 'The response to continue has expired, was deleted, was not stored, or belongs to another account.',
    next: 'Send the whole conversation as input ([conversations](../use/conversations.md)).',
  },
  invalid_api_key: {
    cause: 'No key was sent, or the key is incomplete, deleted, or an admin key (`ak-...`).',
    next: 'Send a key that begins with `sk-`; create one in the console or with `key create`.',
  },
  api_key_expired: { cause: 'The expiry date of the key has passed.', next: 'Create a new key.' },
  insufficient_balance: {
    cause: 'The available balance does not cover the most that the request can cost.',
    next: 'Add credit, wait until running requests end, or lower the maximum output. The message has both amounts.',
  },
  key_quota_exceeded: {
    cause: 'The cap of the key, or of the member who made it, does not cover the request.',
    next: 'Raise the cap, or wait until it resets: the message says when.',
  },
  account_quota_exceeded: {
    cause: 'The cap of the account does not cover the request.',
    next: 'Ask the operator to raise it, or wait until it resets: the message says when.',
  },
  model_not_allowed: {
    cause: 'The model exists, but the key or its group may not use it.',
    next: 'Choose a model listed by `GET /v1/models`, or use a key of another group.',
  },
  account_disabled: { cause: 'The operator disabled the account.', next: 'Ask the operator.' },
  address_not_allowed: {
    cause: 'The key may be used only from certain IP addresses, and this address is not one of them.',
    next: 'Change the allowed networks of the key. Behind a proxy, the operator sets `server.trusted_proxies`.',
  },
  invalid_signature: {
    cause: 'The URL of an image or a video was altered, or has expired.',
    next: 'Fetch it again: query the video task, or repeat the request.',
  },
  unknown_url: {
    cause: 'Nothing is served at this path, often because of a wrong base URL.',
    next: 'Check the [base URL](api.md#base-urls); the message suggests a path.',
  },
  model_not_found: { cause: 'There is no model of this name.', next: 'Choose a model listed by `GET /v1/models`.' },
  not_found: {
    cause: 'The stored response, task, receipt or media object does not exist, has expired, or is not yours.',
    next: 'Check the id and the key.',
  },
  method_not_allowed: {
    cause: 'The path is served with other methods.',
    next: 'Use one of the header `allow`.',
  },
  request_timeout: {
    cause: 'The body arrived too slowly.',
    next: 'Send it again over a better connection.',
  },
  conflict: {
    cause:
      'A request with the same `Idempotency-Key` is running or its response was not stored, or the state of the object does not allow this.',
    next: 'If there is a `retry-after`, retry; else use a new key ([idempotency](../use/idempotency.md)).',
  },
  idempotency_mismatch: {
    cause: 'The `Idempotency-Key` was used before, for another request.',
    next: 'Send a new key with each new request.',
  },
  request_too_large: {
    cause: 'The body, a file or what the request refers to is larger than a limit.',
    next: 'Send less. The message has the limit; operators can raise most ([limits](limits.md)).',
  },
  unsupported_media_type: {
    cause: 'The content type of the body, or the format of a file, is not supported.',
    next: 'Send JSON, or a form where the endpoint takes files.',
  },
  no_websocket: { cause: 'WebSocket is not supported.', next: 'Send a POST request.' },
  rate_limit_exceeded: {
    cause: 'A limit of the key or account (requests, tokens, concurrency) is reached, or the upstream is rate-limited.',
    next: 'Wait as long as `retry-after` says. SDKs do this by themselves.',
  },
  client_closed_request: {
    cause: 'The client disconnected. Only the log shows it.',
    next: 'If this happens often, raise the timeout of the client.',
  },
  internal_error: {
    cause: 'A fault of the gateway.',
    next: 'Retry; report the request id. The operator finds it in the log.',
  },
  upstream_error: {
    cause: 'The upstream failed, could not be reached, or sent an invalid response.',
    next: 'Retry. The operator sees the reason in the log, and can add a [fallback](../operate/routing.md).',
  },
  upstream_no_image: { cause: 'The upstream answered without an image.', next: 'Retry, or change the prompt.' },
  upstream_auth_error: {
    cause: "The vendor rejected the gateway's own key.",
    next: "The operator replaces the upstream's key; `upstream test` shows what the vendor says.",
  },
  upstream_model_not_found: {
    cause: 'The vendor does not know the model that the route names.',
    next: 'The operator corrects the route; `upstream models` lists what the vendor has.',
  },
  upstream_unknown_url: {
    cause: 'Nothing is at the URL that the gateway calls.',
    next: "The operator checks the upstream's `base_url`; `upstream test` shows the URL.",
  },
  upstream_no_credit: {
    cause: "The gateway's account at the vendor has no credit, or its quota there is used up.",
    next: 'The operator pays the vendor. The key is used again after 5 minutes.',
  },
  service_unavailable: {
    cause: 'The gateway is overloaded, starts or stops, has no database, or no upstream of the model works.',
    next: 'Wait as long as `retry-after` says. Operators: [overload](../operate/overload.md).',
  },
  upstream_timeout: {
    cause: 'The upstream did not answer within the timeouts of the configuration.',
    next: 'Retry; operators can raise `timeouts` of the upstream.',
  },
}

/** Causes of the errors of the console API and the admin API. */
export const API_CAUSES: Readonly<Record<ApiErrorCode, string>> = {
  bad_request: 'A field is missing, unknown or not allowed; `param` and `details` name it.',
  forbidden: 'Your role lacks a permission, which the message names.',
  unknown_group: 'There is no such group, or your account may not use it.',
  built_in_key: 'The key of the playground can be limited, but not rotated or deleted.',
  not_found: 'There is no such object, or you may not see it.',
  unknown_code: 'This redemption code does not exist. Check for typos.',
  address_taken: 'An account with this email address exists already.',
  conflict: 'The state of the object does not allow the change; the message says why.',
  insufficient_balance: 'The account has less available than would be taken back.',
  key_deleted: 'The key is deleted. Create a new one.',
  code_used: 'The redemption code was redeemed or revoked before.',
  code_expired: 'The redemption code has expired.',
  balance_too_large: 'The balance would exceed the largest possible one.',
  too_many_keys: 'There are as many keys as an account, or the gateway, may have. Delete some first.',
  too_many_tries: 'Too many attempts in a short time. Retry after `retry-after`.',
  upstream_failed: 'The upstream did not answer a test or a listing as expected; the message says how.',
  not_signed_in: 'There is no session, or it has ended. Sign in.',
  wrong_credentials: 'Email address or password are wrong, or the person is disabled.',
  wrong_code: 'The code of the second factor is wrong or was used. Wait for the next one.',
  invalid_admin_key: 'The admin key is missing, wrong, expired or deleted.',
  owners_only: 'Only owners of the account can do this.',
  account_disabled: 'The operator disabled the account: its people can only read.',
  foreign_page: 'The request comes from a page of another site. Operators: set `server.public_url`.',
  wrong_password: 'The current password is wrong.',
  registration_closed: 'People cannot register here. Ask the operator for an account.',
  password_sign_in_off: 'Sign in with the provider of your company: passwords are for owners only.',
  address_not_allowed: 'The admin key may not be used from this IP address.',
  second_factor_needed: 'The change needs a second factor that was proved in the last 10 minutes.',
  mail_not_configured: 'The gateway sends no email. Operators: set `mail`.',
  method_not_allowed: 'The path takes other methods; the header `allow` lists them.',
  request_timeout: 'The body arrived too slowly.',
  account_switched: 'Another account was chosen in this browser. Reload the page.',
  idempotency_mismatch: 'The `Idempotency-Key` was used before, for another request.',
  link_expired: 'The link has already been used, has expired, or was replaced by a newer one.',
  precondition_failed: 'The resource has changed since it was read (`If-Match`). Read it again.',
  request_too_large: 'The body is larger than the limit.',
  unsupported_media_type: 'The body must be JSON.',
  too_many_accounts: 'Too many accounts were created from this network today.',
  rate_limit_exceeded: 'Too many requests at once. Retry after `retry-after`.',
  client_closed_request: 'The client disconnected. Only the log shows it.',
  internal_error: 'A fault of the gateway. Report the request id.',
  service_unavailable: 'The gateway is overloaded, or its database is unavailable. Retry after `retry-after`.',
}
