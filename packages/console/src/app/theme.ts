// Light or dark: the system's setting, unless the person chooses.

import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const STORED = 'trivium-theme'
const listeners = new Set<() => void>()

function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function applyTheme(): void {
  const theme = storedTheme()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, theme)
  applyTheme()
  for (const changed of listeners) changed()
}

const subscribe = (changed: () => void) => {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, storedTheme)
