// The form of one request: what is entered becomes the body. Of the console API, by the name of its route.

import { useQueryClient } from '@tanstack/react-query'
import { type ApiError, type PostArguments, post, type Result } from '../../api/client.ts'
import type { BodyOf, OutputOf, PathOf } from '../../api/routes.ts'
import { useErrorMessage } from '../states.tsx'
import { useToast } from '../toast.tsx'
import type { Entry } from './fields.ts'
import type { FormErrors } from './form-errors.ts'
import { FormFrame, type FrameProps } from './form-frame.tsx'
import type { Patch } from './patches.ts'
import type { Values } from './typed-values.ts'
import { useFields } from './use-fields.tsx'

type SendFormProps<N extends string, T> = FrameProps & {
  fields: readonly Entry<N>[]
  /** What is there already. */
  of?: object
  /** Only what differs from it is sent. */
  isChange?: boolean
  send(body: Patch): Promise<Result<T>>
  /** The queries of the console API that are read again. */
  refreshes?: readonly string[]
  /** What has happened. */
  said?: string | ((value: T, values: Values) => string)
  /** What is entered is gone from the page afterwards. */
  isCleared?: boolean
  /** In place of closing it. */
  onDone?(value: T, values: Values): void
  /** Errors of the API with a text or a field of their own. An empty object: they have been dealt with. */
  rejected?(error: ApiError): FormErrors<string> | undefined
}

export function SendForm<const N extends string, T>(props: SendFormProps<N, T>) {
  const {
    fields: entries,
    of,
    isChange,
    send,
    refreshes = [],
    said,
    isCleared = false,
    onDone,
    rejected,
    ...frame
  } = props
  const messageOf = useErrorMessage()
  const client = useQueryClient()
  const toast = useToast()
  const fields = useFields<T>({
    entries: entries as readonly Entry[],
    ...(of ? { of } : {}),
    ...(isChange ? { isChange } : {}),
    message: messageOf,
    ...(rejected ? { rejected } : {}),
    send: ({ body }) => send(body),
    done(value, { values }) {
      for (const name of refreshes) void client.invalidateQueries({ queryKey: [name] })
      if (said !== undefined) toast(typeof said === 'string' ? said : said(value, values))
      fields.settle(isCleared)
      if (onDone) onDone(value, values)
      else frame.onClose?.()
    },
  })
  return <FormFrame {...frame} fields={fields} guards={frame.onClose !== undefined} />
}

type Path = PathOf<'console', 'POST'>
type Body<P extends Path> = NonNullable<BodyOf<'console', 'POST', P>>
type Names<B> = (keyof B & string) | `${keyof B & string}.${string}`

type PostFormProps<P extends Path> = Omit<SendFormProps<Names<Body<P>>, OutputOf<'console', 'POST', P>>, 'send'> & {
  path: P
  params?: PostArguments<P>[1]
  /** What is always sent, beside what is entered. */
  body?: Partial<Body<P>>
}

export function PostForm<const P extends Path>({ path, params, body: fixed, ...form }: PostFormProps<P>) {
  const send = (body: Patch) => post(path, ...([{ ...body, ...fixed }, params] as unknown as PostArguments<P>))
  return <SendForm {...form} send={send} />
}
