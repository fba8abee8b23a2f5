// Short messages about what has just happened. Screen readers announce them; they go away by themselves.

import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { Button, IconButton } from './button.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'

type Tone = 'good' | 'bad' | 'plain'
/** What can be done about it, such as undoing it. */
type Offer = { label: string; onSelect(): void }
type Toast = { id: number; text: string; tone: Tone; offer: Offer | undefined }
type Show = (text: string, tone?: Tone, offer?: Offer) => void

const Context = createContext<Show>(() => {})
const SHOWN_MS = 6_000
const OFFERED_MS = 10_000
const MOST = 3

/** `const toast = useToast(); toast(t.saved)` */
export const useToast = (): Show => useContext(Context)

export function ToastProvider({ children }: { children: ReactNode }) {
  const { common } = useTexts()
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const next = useRef(0)
  const close = useCallback((id: number) => setToasts((shown) => shown.filter((each) => each.id !== id)), [])
  const show = useCallback<Show>(
    (text, tone = 'good', offer = undefined) => {
      const id = next.current++
      setToasts((shown) => [...shown, { id, text, tone, offer }].slice(-MOST))
      setTimeout(close, offer ? OFFERED_MS : SHOWN_MS, id)
    },
    [close],
  )
  return (
    <Context value={show}>
      {children}
      <div
        aria-live="polite"
        role="status"
        className="pointer-events-none fixed inset-x-4 top-16 z-50 flex flex-col items-center gap-2 wide:inset-x-auto wide:top-auto wide:right-6 wide:bottom-6 wide:items-end"
      >
        {toasts.map(({ id, text, tone, offer }) => (
          <div
            key={id}
            className="pointer-events-auto flex max-w-[420px] items-center gap-2 rounded-md border border-edge/50 bg-surface py-1.5 pr-1.5 pl-3"
          >
            <span className={classes(tone === 'good' && 'text-good', tone === 'bad' && 'text-bad')}>
              <Icon name={tone === 'good' ? 'check' : tone === 'bad' ? 'warning' : 'info'} />
            </span>
            <span className="min-w-0 break-words">{text}</span>
            {offer && (
              <Button
                small
                onClick={() => {
                  close(id)
                  offer.onSelect()
                }}
              >
                {offer.label}
              </Button>
            )}
            <IconButton icon="close" label={common.close} onClick={() => close(id)} />
          </div>
        ))}
      </div>
    </Context>
  )
}
