import { useEffect, useState } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { classes } from './classes.ts'
import { Icon } from './icons.tsx'

const SHOWN_MS = 2_000

type CopyProps = { text: string; label?: string; withText?: boolean; name?: string }

/** Copies `text`. `label` names what is copied, for screen readers. `withText`: not the icon alone; `name`: in other words. */
export function CopyButton({ text, label, withText = false, name }: CopyProps) {
  const { common } = useTexts()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(setCopied, SHOWN_MS, false)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => setCopied(await copyText(text))
  const shown = isCopied ? common.copied : (name ?? common.copy)
  return (
    <button
      type="button"
      onClick={copy}
      title={common.copy}
      className={classes(
        'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-md text-sm hover:bg-raised hover:text-ink pointer-coarse:h-10',
        isCopied ? 'text-good' : 'text-muted',
        withText ? 'border border-edge/50 bg-surface px-2' : 'w-7 pointer-coarse:w-10',
      )}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span className={classes(!withText && 'sr-only')}>{shown}</span>
      {label && <span className="sr-only"> {label}</span>}
      <span aria-live="polite" className="sr-only">
        {isCopied ? common.copied : ''}
      </span>
    </button>
  )
}

/** The clipboard needs TLS or loopback; elsewhere a selection is copied. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'fixed top-0 opacity-0'
    const parent = document.querySelector('dialog[open]') ?? document.body
    parent.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    return isCopied
  }
}

/** Text of a fixed width with a copy button: commands, snippets, secrets. Long lines scroll. */
export function CodeBlock({ code, label, wrap = false }: { code: string; label: string; wrap?: boolean }) {
  return (
    <div className="relative rounded-md border bg-canvas">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section aria-label={label} tabIndex={0} className="overflow-x-auto rounded-md">
        <pre className={classes('py-2 pr-12 pl-3 font-mono text-sm', wrap && 'break-all whitespace-pre-wrap')}>
          <code>{code}</code>
        </pre>
      </section>
      <div className="absolute top-1 right-1 rounded-md bg-canvas">
        <CopyButton text={code} label={label} />
      </div>
    </div>
  )
}

/** A short id in a line of text, with a copy button. */
export function CopyText({ text, label }: { text: string; label?: string }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1">
      <code className="min-w-0 font-mono text-sm break-all">{text}</code>
      <CopyButton text={text} {...(label ? { label } : {})} />
    </span>
  )
}
