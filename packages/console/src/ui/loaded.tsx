// What is read, in place of the states before it: an error, a skeleton, and then the data.

import type { ReactNode } from 'react'
import type { ApiError } from '../api/client.ts'
import { Drawer } from './dialog.tsx'
import { EmptyState, ErrorState, Skeleton } from './states.tsx'

export type Query<T> = { data: T | undefined; error: ApiError | null; refetch(): unknown }

type LoadedProps<T> = {
  query: Query<T>
  skeleton?: ReactNode
  children(data: T): ReactNode
}

/** Read, and not there. */
export const NOTHING: Query<null> = { data: null, error: null, refetch() {} }

/** An error is shown as long as there is nothing else to show. */
export function Loaded<T>({ query: { data, error, refetch }, skeleton, children }: LoadedProps<T>) {
  if (data !== undefined) return children(data)
  return error ? <ErrorState error={error} retry={refetch} /> : (skeleton ?? <Skeleton size="h-64 w-full" />)
}

type DetailDrawerProps<T> = Omit<LoadedProps<T>, 'query' | 'children'> &
  Partial<Pick<LoadedProps<T>, 'children'>> & {
    /** null: there is no such thing. */
    query: Query<T | null>
    open?: boolean
    onClose(): void
    title: string
    footer?: ReactNode
    /** What is said if there is no such thing. */
    none?: { title: string; text?: string }
  }

/** One thing of a list, in a drawer. */
export function DetailDrawer<T>(props: DetailDrawerProps<T>) {
  const { query, open = true, onClose, title, footer, none, skeleton, children } = props
  const isNone = query.data === null || (none !== undefined && query.error?.status === 404)
  return (
    <Drawer open={open} onClose={onClose} title={title} footer={footer}>
      {isNone ? (
        <div role="alert">
          <EmptyState title={none?.title ?? title}>{none?.text}</EmptyState>
        </div>
      ) : (
        <Loaded query={query as Query<T>} skeleton={skeleton}>
          {(data) => <div className="flex flex-col gap-6">{children?.(data)}</div>}
        </Loaded>
      )}
    </Drawer>
  )
}
