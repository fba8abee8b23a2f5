// The form of one change of the admin API, by the name of its route: what is entered becomes the body, is checked by a dry run that shows
// mistakes beside their fields, and is confirmed as an act. Of a resource that is there already, only what differs is sent.

import type { Entry } from '../../ui/form/fields.ts'
import { FormFrame, type FrameProps } from '../../ui/form/form-frame.tsx'
import { isEmpty, type Patch } from '../../ui/form/patches.ts'
import type { Values } from '../../ui/form/typed-values.ts'
import { useFields } from '../../ui/form/use-fields.tsx'
import { type AnyChange, rehearse } from '../api/client.ts'
import { useVersion } from '../api/queries.ts'
import type { Body, ChangeMethod, DryRun, Output, Params, Path } from '../api/routes.ts'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import { useAct } from './act.tsx'
import { ActButton } from './act-button.tsx'
import type { Act, AnyAct } from './act-types.ts'
import { useOperateError } from './errors.ts'
import type { Permission } from './permissions.ts'

type Named<B> = keyof B & string
type Names<B> = Named<B> | `${Named<B>}.${string}`
/** What is asked before it is done, and said afterwards. */
type Asked = Omit<AnyAct, keyof AnyChange | 'undo' | 'rehearsed'>

type ActFormProps<M extends ChangeMethod, P extends Path<M>> = FrameProps & {
  method: M
  path: P
  params?: Params<M, P>
  fields: readonly Entry<Names<Body<M, P>>>[]
  /** What is there already. */
  of?: object
  /** What is always sent, beside what is entered. */
  body?: Partial<Body<M, P>> | ((values: Values) => Partial<Body<M, P>>)
  question: Asked | ((body: Patch, values: Values) => Asked)
  /** The act that takes it back, or its title alone. */
  undo?: string | Pick<Asked, 'title' | 'action' | 'done'>
  /** What is said if nothing is entered at all. */
  nothing?: string
  /** Whom the button is for. */
  permission?: Permission
  /** In place of closing it. */
  onDone?(result: Output<M, P>, values: Values): void
}

export function ActForm<const M extends ChangeMethod, const P extends Path<M>>(props: ActFormProps<M, P>) {
  const { method, path, params, fields: entries, of, body: fixed, question, undo, permission, onDone, ...frame } = props
  const { onClose, isLong = false } = frame
  const t = useOperateTexts().acts
  const messageOf = useOperateError()
  const act = useAct()
  const isChange = method === 'PATCH'
  // A form of a page stays, and would know an old version after the first change.
  const version = useVersion(isChange && params && onClose ? (path as never) : undefined, params)
  const change = (body: Patch, values: Values): AnyChange => ({
    method,
    path,
    ...(params ? { params } : {}),
    body: { ...body, ...(typeof fixed === 'function' ? fixed(values) : fixed) },
  })
  const fields = useFields<DryRun | undefined>({
    entries: entries as readonly Entry[],
    ...(of ? { of } : {}),
    isChange,
    ...(frame.nothing === undefined ? {} : { nothing: frame.nothing }),
    message: messageOf,
    send: async ({ body, values }) =>
      isChange && onClose && isEmpty(body) ? { ok: true, value: undefined } : rehearse(change(body, values)),
    async done(rehearsed, { body, inverse, values, changed }) {
      if (rehearsed === undefined) return onClose?.()
      const asks = typeof question === 'function' ? question(body, values) : question
      const isRevertible = undo !== undefined && changed.every(({ as }) => as !== 'secret' && as !== 'secrets')
      const asked: AnyAct = {
        ...change(body, values),
        ...asks,
        rehearsed,
        version: await version(),
        ...(isRevertible
          ? { undo: { ...change(inverse, values), ...(typeof undo === 'string' ? { ...asks, title: undo } : undo) } }
          : {}),
      }
      const result = await act(asked as Act<M, P>)
      if (result === undefined) return
      fields.settle(false)
      if (onDone) onDone(result, values)
      else onClose?.()
    },
  })
  return (
    <FormFrame
      action={t.review}
      {...frame}
      {...(permission ? { button: (submit) => <ActButton permission={permission} {...submit} /> } : {})}
      fields={fields}
      guards={isLong}
    />
  )
}
