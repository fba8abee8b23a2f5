// Dialogs and drawers on the browser's own modal dialog: it traps the focus, closes with Escape, returns the focus to where
// it was, and makes the page behind it inert.

import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { Button, IconButton } from './button.tsx'
import { classes } from './classes.ts'

type DialogProps = {
  open: boolean
  onClose(): void
  title: string
  /** Stays visible at the end: the buttons. */
  footer?: ReactNode
  /** False: neither Escape nor a click outside closes it, for what is shown only once. */
  closable?: boolean
  children: ReactNode
}

const Container = createContext<HTMLElement | null>(null)

/** Menus and popovers within a dialog must be part of it: everything outside is inert. */
export const useDialogContainer = (): HTMLElement | null => useContext(Container)

export function Dialog(props: DialogProps) {
  return (
    <Modal {...props} shape="m-auto w-[calc(100%-32px)] max-w-[480px] max-h-[calc(100dvh-32px)] rounded-lg border" />
  )
}

/** At the right edge of wide screens; the whole screen of small ones. */
export function Drawer(props: DialogProps) {
  return <Modal {...props} shape="drawer m-0 ml-auto h-dvh max-h-none w-full max-w-none wide:w-[520px] wide:border-l" />
}

function Modal({ open, onClose, title, footer, closable = true, children, shape }: DialogProps & { shape: string }) {
  const { common } = useTexts()
  const ref = useRef<HTMLDialogElement>(null)
  const [element, setElement] = useState<HTMLElement | null>(null)
  const id = useId()

  useEffect(() => {
    const dialog = ref.current
    if (!open || !dialog) return
    const before = openerOf(document.activeElement)
    if (!dialog.open) {
      dialog.showModal()
      // The browser would begin at the button that closes it.
      dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus()
    }
    setElement(dialog)
    return () => {
      dialog.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [open])

  if (!open) return null
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (closable) onClose()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        // A second Escape would close it without asking.
        event.preventDefault()
        if (closable) onClose()
      }}
      onClose={() => {
        // The Back gesture of phones closes a dialog without asking.
        if (!ref.current?.isConnected || ref.current.open) return
        ref.current.showModal()
        if (closable) onClose()
      }}
      onMouseDown={(event) => {
        if (closable && event.target === ref.current) onClose()
      }}
      className={classes('bg-surface p-0 text-ink', shape)}
    >
      <Container value={element}>
        <div className="flex max-h-[inherit] min-h-0 flex-col h-full">
          <header className="flex items-center justify-between gap-4 border-b px-4 py-3 wide:px-6">
            <h2 id={id} className="min-w-0 text-lg font-semibold wrap-anywhere">
              {title}
            </h2>
            {closable && <IconButton icon="close" label={common.close} onClick={onClose} />}
          </header>
          <div data-content className="min-h-0 flex-1 overflow-y-auto px-4 py-4 wide:px-6">
            {children}
          </div>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-t px-4 py-3 wide:px-6">{footer}</footer>
          )}
        </div>
      </Container>
    </dialog>
  )
}

const FIRST_FIELD = '[data-content] :is(select, textarea, input:not([type=checkbox], [type=radio], [hidden], .sr-only))'

/** What has the focus; of a menu, which is gone by then, the button that opened it. */
function openerOf(focused: Element | null): Element | null {
  const menu = focused?.closest('[role=menu]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused
}

type ConfirmProps = {
  open: boolean
  onClose(): void
  /** A question that names what is lost: "Delete the key laptop?" */
  title: string
  action: string
  cancel?: string
  onConfirm(): void
  busy?: boolean
  error?: string | undefined
  children: ReactNode
}

/** Asks once before something destructive. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  action,
  cancel,
  onConfirm,
  busy = false,
  error,
  children,
}: ConfirmProps) {
  const { common } = useTexts()
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{cancel ?? common.cancel}</Button>
          <Button variant="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">
        {children}
        {error && (
          <p role="alert" className="text-bad">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  )
}
