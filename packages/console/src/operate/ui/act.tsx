// Every change of an operator is one act: checked by a dry run, shown as a difference with its effects, and performed with a reason.
// `const act = useAct(); const done = await act({ ... })`; undefined: the person did not go through with it.

import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import type { ChangeMethod, Output, Path } from '../api/routes.ts'
import { ActDialog } from './act-dialog.tsx'
import type { Act, AnyAct } from './act-types.ts'

type Ask = <M extends ChangeMethod, P extends Path<M>>(act: Act<M, P>) => Promise<Output<M, P> | undefined>

type Asked = { act: AnyAct; key: string; settle(value: unknown): void }

const Context = createContext<Ask | undefined>(undefined)

export function ActProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked>()
  const ask = useCallback<Ask>(
    (act) =>
      new Promise((resolve) =>
        setAsked({
          act,
          key: crypto.randomUUID(),
          settle: (value) => resolve(value as Parameters<typeof resolve>[0]),
        }),
      ),
    [],
  )
  const close = (value: unknown) => {
    asked?.settle(value)
    setAsked(undefined)
  }
  return (
    <Context value={ask}>
      {children}
      {asked && <ActDialog key={asked.key} act={asked.act} idempotencyKey={asked.key} onEnd={close} again={ask} />}
    </Context>
  )
}

export function useAct(): Ask {
  const ask = useContext(Context)
  if (!ask) throw new Error('ActProvider is missing')
  return ask
}
