// Calls of the admin API by the session of the person, for scripts as for this console. An error is a value: nothing here throws.
import { call, etagOf, filledPath, type Result, readUrl, type UrlParams } from '../../api/client.ts'
import { GATEWAY_PATH } from '../../app/base-path.ts'
import type { Body, ChangeMethod, DryRun, Output, Params, Path } from './routes.ts'

const ADMIN_PATH = '/admin/v1/'

/** Below the host, for links to downloads too. */
export const adminUrl = (path: string, params: UrlParams = {}): string =>
  GATEWAY_PATH + ADMIN_PATH + filledPath(path, params)

export const readAdmin = <P extends Path<'GET'>>(
  path: P,
  params: Params<'GET', P>,
  signal?: AbortSignal,
): Promise<Result<Output<'GET', P>>> => readUrl(adminUrl(path, params as UrlParams), signal)

/** What a person looked at before a change: the path of the resource, and its ETag. */
export type Version = { path: string; tag: string }

/** A change of any route, as it is sent. `version`: it is rejected if the resource has another one by now. */
export type AnyChange = {
  method: ChangeMethod
  path: string
  params?: UrlParams
  body?: unknown
  version?: Version | undefined
}

/** The version of a resource at this moment. undefined: it cannot be read. */
export async function readVersion(path: string, params: UrlParams = {}): Promise<Version | undefined> {
  const url = adminUrl(path, params)
  await readUrl(url)
  const tag = etagOf(url)
  return tag === undefined ? undefined : { path, tag }
}

/** The same with the types of its route. */
export type Change<M extends ChangeMethod, P extends Path<M>> = AnyChange & {
  method: M
  path: P
  params?: Params<M, P>
  body?: Body<M, P>
}

/** `reason` is kept in the audit log. */
type Options = { reason?: string; isDryRun?: boolean; idempotencyKey?: string }

function send<T>({ method, path, params = {}, body, version }: AnyChange, options: Options): Promise<Result<T>> {
  const { reason = '', isDryRun = false, idempotencyKey } = options
  const isDelete = method === 'DELETE'
  const query = { ...(isDryRun ? { dry_run: 'true' } : {}), ...(isDelete && reason !== '' ? { reason } : {}) }
  const headers = {
    'content-type': 'application/json',
    ...(version === undefined ? {} : { 'if-match': version.tag }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  }
  const sent = { ...(body as object | undefined), ...(reason === '' ? {} : { reason }) }
  const init = { method, headers, ...(isDelete ? {} : { body: JSON.stringify(sent) }) }
  return call(adminUrl(path, { ...params, ...query }), init)
}

/** All is checked, nothing is written: what would change. */
export const rehearse = (change: AnyChange): Promise<Result<DryRun>> => send(change, { isDryRun: true })

/** `key`: the same for a change that is sent again, so that it is done once. */
export const perform = (change: AnyChange, reason: string, key: string): Promise<Result<unknown>> =>
  send(change, { reason, ...(change.method === 'POST' ? { idempotencyKey: key } : {}) })

/** A change without questions, such as a test or a preview, which changes nothing that others see. */
export const callAdmin = <M extends ChangeMethod, P extends Path<M>>(
  change: Change<M, P>,
): Promise<Result<Output<M, P>>> => send(change, {})

/** A new proof of the second factor, which dangerous changes need from time to time. */
export const verifySecondFactor = (code: string): Promise<Result<unknown>> =>
  call(`${GATEWAY_PATH}/console/api/session/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
