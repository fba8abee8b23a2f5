import { type ComponentType, createElement, lazy, useState } from 'react'

/** `load` resolves when the page is there, or could not be loaded. Links call it when the pointer reaches them. */
export type LazyPage = { page: ComponentType; load(): Promise<void> }

/**
 * A page that is a chunk of its own. React shows the placeholder of a lazy component for at least 300 ms, even if the chunk is
 * there already; a page that was loaded before is rendered at once.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>): LazyPage {
  let loaded: ComponentType | undefined
  const Lazy = lazy(load)
  return {
    // Chosen once: a page must not start anew while it is shown.
    page: () => createElement(useState(() => ({ page: loaded ?? Lazy }))[0].page),
    load: () =>
      load().then(
        ({ default: page }) => {
          loaded = page
        },
        () => {},
      ),
  }
}
