import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'wouter'
import { classes } from './classes.ts'
import { Icon, type IconName } from './icons.tsx'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'

type Look = { variant?: ButtonVariant; small?: boolean; icon?: IconName }
type ButtonProps = Look & Omit<ComponentProps<'button'>, 'className'> & { busy?: boolean; wide?: boolean }

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-hover',
  secondary: 'bg-surface text-ink border-edge/50 hover:bg-raised',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-raised',
  danger: 'bg-danger text-on-accent border-transparent hover:bg-danger-hover',
}

const look = ({ variant = 'secondary', small = false }: Look, isWide = false): string =>
  classes(
    'relative inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none',
    'disabled:opacity-60 disabled:cursor-not-allowed aria-busy:cursor-progress',
    small ? 'h-7 px-2 text-sm' : 'h-8 px-3 pointer-coarse:h-10',
    isWide && 'w-full',
    VARIANTS[variant],
  )

/** `busy`: the action runs; the button keeps its focus and its size, and does nothing. */
export function Button({ variant, small, icon, busy = false, wide = false, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      {...rest}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={look({ ...(variant ? { variant } : {}), ...(small ? { small } : {}) }, wide)}
    >
      <span className={classes('inline-flex items-center gap-2', busy && 'opacity-0')}>
        {icon && <Icon name={icon} />}
        {children}
      </span>
      {busy && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner />
        </span>
      )}
    </button>
  )
}

/** A link within the console that looks like a button. `href` is relative to /console. */
export function ButtonLink({ href, icon, children, ...rest }: Look & { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={look(rest)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

/** A link that leaves the console or downloads something, and looks like a button. */
export function ButtonAnchor({
  icon,
  children,
  variant,
  small,
  wide,
  ...rest
}: Look & Omit<ComponentProps<'a'>, 'className'> & { wide?: boolean }) {
  return (
    <a {...rest} className={look({ ...(variant ? { variant } : {}), ...(small ? { small } : {}) }, wide)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}

/** A button that shows an icon alone; `label` is what it does. */
export function IconButton({
  icon,
  label,
  ...rest
}: { icon: IconName; label: string } & Omit<ComponentProps<'button'>, 'className' | 'children'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className="inline-grid size-7 shrink-0 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink disabled:opacity-50 pointer-coarse:size-10"
    >
      <Icon name={icon} />
    </button>
  )
}

export function Spinner() {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" className="animate-spin" aria-hidden="true">
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeOpacity="0.3" strokeWidth="2" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  )
}
