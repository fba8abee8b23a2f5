// Changes by the admin API, which can be rehearsed, and name the version that they change.
import { etagOf, post, type Result, readUrl, send, type UrlParams, urlOf } from '../../api/client.ts'
import type { Body, ChangeMethod, DryRun, Output, Params, Path } from './routes.ts'

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
  const url = urlOf('admin', path, params)
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

function change<T>({ method, path, params = {}, body, version }: AnyChange, options: Options): Promise<Result<T>> {
  const { reason = '', isDryRun = false, idempotencyKey } = options
  const isDelete = method === 'DELETE'
  const given = reason === '' ? {} : { reason }
  const query = { ...(isDryRun ? { dry_run: 'true' } : {}), ...(isDelete ? given : {}) }
  const headers = {
    ...(version === undefined ? {} : { 'if-match': version.tag }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  }
  const sent = isDelete ? undefined : { ...(body as object | undefined), ...given }
  return send(method, urlOf('admin', path, { ...params, ...query }), headers, sent)
}

/** All is checked, nothing is written: what would change. */
export const rehearse = (wanted: AnyChange): Promise<Result<DryRun>> => change(wanted, { isDryRun: true })

/** `key`: the same for a change that is sent again, so that it is done once. */
export const perform = (wanted: AnyChange, reason: string, key: string): Promise<Result<unknown>> =>
  change(wanted, { reason, ...(wanted.method === 'POST' ? { idempotencyKey: key } : {}) })

/** A change without questions, such as a test or a preview, which changes nothing that others see. */
export const callAdmin = <M extends ChangeMethod, P extends Path<M>>(
  wanted: Change<M, P>,
): Promise<Result<Output<M, P>>> => change(wanted, {})

/** A new proof of the second factor, which dangerous changes need from time to time. */
export const verifySecondFactor = (code: string): Promise<Result<unknown>> => post('session/verify', { code })
