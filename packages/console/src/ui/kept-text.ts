// A text that outlives the page that it is typed on, in this tab: a reload, or a session that ended, does not lose it.

import { useState } from 'react'

/** `name`: of the field, and of whose text it is. */
export function useKeptText(name: string): [text: string, setText: (text: string) => void] {
  const stored = `trivium-text-${name}`
  const [text, setText] = useState(() => sessionStorage.getItem(stored) ?? '')
  const change = (next: string) => {
    setText(next)
    try {
      if (next === '') sessionStorage.removeItem(stored)
      else sessionStorage.setItem(stored, next)
    } catch {
      // It is longer than the browser stores; it stays on screen.
    }
  }
  return [text, change]
}
