import { type ComponentType, createElement, useCallback, useEffect, useState } from 'react'
import { read } from '../api/client.ts'
import { useTexts } from '../i18n/language.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState, Skeleton } from '../ui/states.tsx'
import { isGuarded } from './leave-guard.tsx'

/** `load` resolves when the page is there, or could not be loaded. Links call it when the pointer reaches them. */
export type LazyPage<Props extends object = object> = { page: ComponentType<Props>; load(): Promise<void> }

const RETRY_MS = 3_000
/** Kept for this tab, so that a page that cannot be loaded does not reload forever. */
const RELOADED = 'trivium-reloaded-for-page'

/**
 * A page, or a part of one, that is a chunk of its own, which is loaded again after a failure: while the page is open, when the browser is online again,
 * and at the next visit. Not React's own lazy component: that one keeps a failure for good, and shows its placeholder for at least
 * 300 ms, even if the chunk is there already.
 */
export function lazyPage<Props extends object = object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyPage<Props> {
  let loaded: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  let failures = 0

  const start = (): Promise<void> => {
    loading ??= load()
      .then(
        ({ default: page }) => {
          loaded = page
          failures = 0
          sessionStorage.removeItem(RELOADED)
        },
        () => {
          failures++
        },
      )
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  function Page(props: Props) {
    // Chosen once: a page must not start anew while it is shown.
    const [shown, setShown] = useState(() => (loaded ? { page: loaded } : undefined))
    const [hasFailed, setFailed] = useState(false)
    const attempt = useCallback(async () => {
      await start()
      if (loaded) return setShown({ page: loaded })
      if (failures > 1) await reloadOnce()
      setFailed(true)
    }, [])
    useEffect(() => {
      if (!shown) void attempt()
    }, [shown, attempt])
    useEffect(() => {
      if (!hasFailed || shown) return
      const timer = setInterval(attempt, RETRY_MS)
      window.addEventListener('online', attempt)
      return () => {
        clearInterval(timer)
        window.removeEventListener('online', attempt)
      }
    }, [hasFailed, shown, attempt])
    if (shown) return createElement(shown.page, props)
    // A file that the gateway once said it does not have is not requested again by this page, whatever the browser is asked.
    const retry = async () => ((await read('about', {})).ok ? window.location.reload() : attempt())
    return hasFailed ? <NotLoaded retry={() => void retry()} /> : <Skeleton size="h-7 w-40" />
  }

  return { page: Page, load: start }
}

/** The files of a gateway that was upgraded have other names: only a new page knows them. A gateway that is away has none at all. */
async function reloadOnce(): Promise<void> {
  if (isGuarded() || sessionStorage.getItem(RELOADED) !== null || !(await read('about', {})).ok) return
  sessionStorage.setItem(RELOADED, '1')
  window.location.reload()
}

function NotLoaded({ retry }: { retry(): void }) {
  const { common } = useTexts()
  return (
    <div role="alert">
      <EmptyState
        title={common.notLoaded.title}
        action={
          <Button icon="refresh" onClick={retry}>
            {common.retry}
          </Button>
        }
      >
        {common.notLoaded.text}
      </EmptyState>
    </div>
  )
}
